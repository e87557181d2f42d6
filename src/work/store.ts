import { prepareBytecodes } from "../archive/content/bytecodes.ts";
import { prepareDerive } from "../archive/content/derive.ts";
import { prepareImports } from "../archive/import/importing.ts";
import { judgeChanges } from "../archive/judge/judge.ts";
import { prepareChainFingerprint } from "../archive/nodes/chain-fingerprint.ts";
import { prepareProbes } from "../archive/nodes/probes.ts";
import { prepareSources } from "../archive/nodes/sources.ts";
import { prepareChanges } from "../archive/read/changes.ts";
import { prepareCoverageReads } from "../archive/read/coverage-reads.ts";
import { discover } from "../archive/read/discovery.ts";
import { preparePageReads } from "../archive/read/page-reads.ts";
import { prepareStatusQueries } from "../archive/read/status-queries.ts";
import { prepareIdentifiers } from "../archive/search/identifiers.ts";
import { prepareSearch } from "../archive/search/search.ts";
import { prepareExtend } from "../archive/snapshots/extend.ts";
import { prepareMisses } from "../archive/snapshots/misses.ts";
import { preparePins } from "../archive/snapshots/pins.ts";
import { prepareSeal } from "../archive/snapshots/seal.ts";
import { prepareVisits } from "../archive/snapshots/visits.ts";
import { type ChangeBounds, changeTimes } from "../archive/times/ledger-times.ts";
import { prepareRepair } from "../archive/verify/repair.ts";
import { sampleModules } from "../archive/verify/sampling.ts";
import { closing } from "../base/closing.ts";
import type { Engine } from "../engine/engine.ts";
import { StoreError } from "../engine/errors.ts";
import type { TakeOptions } from "../engine/leases/leases.ts";
import { prepareDeliveries } from "./alerts/deliveries.ts";
import { prepareWatches } from "./alerts/watches.ts";
import { prepareBackfill } from "./runs/backfill.ts";
import { prepareRuns } from "./runs/runs.ts";
import { prepareTargetHistories } from "./targets/target-histories.ts";
import { prepareTargets } from "./targets/targets.ts";
import { prepareTraceGroups } from "./trace/trace-groups.ts";
import { prepareTraces } from "./trace/traces.ts";
import { prepareBatches } from "./workers/batches.ts";
import { openToWork, type StoreOptions } from "./workers/open-to-work.ts";
import { type SharingStore, singleProcessSharing, workerSharing } from "./workers/sharing.ts";

export type { ModuleContent, ObservedModule } from "../archive/content/visit-model.ts";

/**
 * A movedex database. Each method is one transaction, or one question to one state: what has to happen together is one call.
 * Failures reject with a `StoreError`, also out of the loop that walks an iterable.
 */
export type Store = LeasedStore &
  SharingStore<LeasedStore> & {
    /** Frees the lock or the lease. A file that was open for writing takes in its log first. */
    readonly close: () => Promise<void>;
  };

/** A database as one may use it whose turn it is, see `SharingStore`. */
export type LeasedStore = ReturnType<typeof prepareQuestions>;

/**
 * Opens a database, a file or a PostgreSQL address: `write` makes, locks and migrates it, `read` changes nothing, `join` writes
 * beside a run. @throws StoreError with the reason's code and what to do
 */
export async function openStore(path: string, options: StoreOptions): Promise<Store & AsyncDisposable> {
  const { engine, close, worker } = await openToWork(path, options);
  // What is opened to read or to join takes no batches.
  const now = options.mode === "write" ? options.now : () => 0;
  const onNotice = options.mode === "write" ? options.onNotice : undefined;
  if (worker === undefined) return closing({ ...prepareQuestions(engine, now), ...singleProcessSharing<LeasedStore>(engine, now), close });
  const { options: sharing, lease } = worker;
  const storeOn = (fenced: Engine) => prepareQuestions(fenced, now, { ...sharing, owner: lease.owner });
  return closing({ ...storeOn(engine), ...workerSharing(worker, storeOn, onNotice), close });
}

/** Opens a database to read it; undefined when there is none yet. @throws StoreError */
export async function openIfThere(path: string): Promise<(Store & AsyncDisposable) | undefined> {
  try {
    return await openStore(path, { mode: "read" });
  } catch (error) {
    if (error instanceof StoreError && error.code === "MOVEDEX_STORE_MISSING") return undefined;
    throw error;
  }
}

function prepareQuestions(engine: Engine, now: () => number, batchOwner: TakeOptions = { now }) {
  const bytecodes = prepareBytecodes(engine);
  return {
    knowsBytecode: bytecodes.knowsBytecode,
    ...prepareSources(engine),
    ...prepareTargets(engine),
    ...prepareTargetHistories(engine),
    ...prepareRuns(engine),
    ...prepareDerive(engine),
    ...preparePins(engine),
    ...prepareExtend(engine),
    ...prepareVisits(engine, bytecodes),
    ...prepareMisses(engine),
    ...prepareBatches(engine, batchOwner),
    ...prepareTraces(engine, batchOwner),
    ...prepareTraceGroups(engine, batchOwner),
    ...prepareSeal(engine, batchOwner.owner),
    discover: () => discover(engine),
    ...prepareChainFingerprint(engine),
    ...prepareStatusQueries(engine),
    ...prepareChanges(engine),
    judgeChanges: (signal?: AbortSignal) => judgeChanges(engine, signal),
    sampleModules: (wanted: Parameters<typeof sampleModules>[1]) => sampleModules(engine, wanted),
    ...prepareProbes(engine, bytecodes),
    ...prepareSearch(engine),
    ...prepareIdentifiers(engine),
    ...prepareRepair(engine),
    ...prepareBackfill(engine),
    ...preparePageReads(engine),
    ...prepareWatches(engine),
    ...prepareDeliveries(engine),
    changeTimes: (bounds: readonly ChangeBounds[]) => changeTimes(engine, bounds),
    ...prepareCoverageReads(engine),
    ...prepareImports(engine, bytecodes),
  };
}
