import { type BytecodeStore, prepareBytecodes } from "../archive/content/bytecodes.ts";
import { type DeriveStore, prepareDerive } from "../archive/content/derive.ts";
import { type JudgeStore, prepareJudging } from "../archive/judge/judge.ts";
import { type ImportStore, prepareImports } from "../archive/merge/importing.ts";
import { type ChainFingerprintStore, prepareChainFingerprint } from "../archive/nodes/chain-fingerprint.ts";
import { type FindingStore, prepareFindings } from "../archive/nodes/findings.ts";
import { type NodeBuildStore, prepareNodeBuilds } from "../archive/nodes/node-builds.ts";
import { type NodeSourceStore, prepareNodeSources } from "../archive/nodes/node-sources.ts";
import { type ProbeStore, prepareProbes } from "../archive/nodes/probes.ts";
import { type ChangeStore, prepareChanges } from "../archive/read/changes.ts";
import { type CoverageReads, prepareCoverageReads } from "../archive/read/coverage-reads.ts";
import { type DiscoveryStore, prepareDiscovery } from "../archive/read/discovery.ts";
import { type GrowthReads, prepareGrowth } from "../archive/read/growth.ts";
import { type PageReads, preparePageReads } from "../archive/read/page-reads.ts";
import { type ModuleSampleStore, prepareModuleSample } from "../archive/read/sample-modules.ts";
import { prepareStatusQueries, type StatusStore } from "../archive/read/status-queries.ts";
import { type IdentifierReads, prepareIdentifiers } from "../archive/search/identifiers.ts";
import { prepareSearch, type SearchStore } from "../archive/search/search.ts";
import { type ExtendStore, prepareExtend } from "../archive/snapshots/extend.ts";
import { type MissStore, prepareMisses } from "../archive/snapshots/misses.ts";
import { type OpenGapStore, prepareOpenGaps } from "../archive/snapshots/open-gaps.ts";
import { type PinStore, preparePins } from "../archive/snapshots/pins.ts";
import { prepareSeal, type SealStore } from "../archive/snapshots/seal.ts";
import { prepareVisits, type VisitStore } from "../archive/snapshots/visits.ts";
import { type LedgerTimeStore, prepareLedgerTimes } from "../archive/times/ledger-times.ts";
import { prepareRepair, type RepairStore } from "../archive/verify/repair.ts";
import type { Engine } from "../engine/engine.ts";
import { type AlertStore, prepareDeliveries } from "./alerts/deliveries.ts";
import { prepareWatches, type WatchStore } from "./alerts/watches.ts";
import { type BackfillStore, prepareBackfill } from "./runs/backfill.ts";
import { prepareRuns, type RunStore } from "./runs/runs.ts";
import { type PassOverStore, preparePassOver } from "./targets/pass-over.ts";
import { prepareTargetHistories, type TargetHistoryStore } from "./targets/target-histories.ts";
import { prepareTargets, type TargetStore } from "./targets/targets.ts";
import { prepareTraceGroups, type TraceGroupStore } from "./trace/trace-groups.ts";
import { prepareTraces, type TraceStore } from "./trace/traces.ts";
import { type BatchOwner, type BatchStore, prepareBatches } from "./workers/batches.ts";
import { openToWork, type StoreOptions } from "./workers/open-to-work.ts";
import { type SharingStore, singleProcessSharing, workerSharing } from "./workers/sharing.ts";

export type { ModuleContent, ObservedModule } from "../archive/content/visit-model.ts";
export type { SealResult } from "../archive/snapshots/seal.ts";

/**
 * A movedex database. Each method is one transaction, or one question to one state: what has to happen together is one call.
 * Failures reject with a `StoreError`, also out of the loop that walks an iterable.
 */
export type Store = Questions & {
  /** Frees the lock or the lease. A file that was open for writing takes in its log first. */
  readonly close: () => Promise<void>;
};

/** What is asked of a database, with the sharing of the work. */
type Questions = LeasedStore & SharingStore<LeasedStore>;

/** A database as one may use it whose turn it is, see `SharingStore`. */
export type LeasedStore = PageReads &
  CoverageReads &
  PinStore &
  ExtendStore &
  PassOverStore &
  VisitStore &
  MissStore &
  SealStore &
  DeriveStore &
  NodeSourceStore &
  BytecodeStore &
  TargetStore &
  TargetHistoryStore &
  RunStore &
  FindingStore &
  NodeBuildStore &
  DiscoveryStore &
  ChainFingerprintStore &
  StatusStore &
  OpenGapStore &
  ChangeStore &
  GrowthReads &
  JudgeStore &
  ModuleSampleStore &
  ProbeStore &
  SearchStore &
  IdentifierReads &
  RepairStore &
  BackfillStore &
  WatchStore &
  AlertStore &
  LedgerTimeStore &
  BatchStore &
  TraceStore &
  TraceGroupStore &
  ImportStore;

/**
 * Opens a database, a file or a PostgreSQL address: `write` makes, locks and migrates it, `read` changes nothing, `join` writes
 * beside a run. @throws StoreError with the reason's code and what to do
 */
export async function openStore(path: string, options: StoreOptions): Promise<Store> {
  const { engine, close, worker } = await openToWork(path, options);
  // What is opened to read or to join takes no batches.
  const now = options.mode === "write" ? options.now : () => 0;
  const onNotice = options.mode === "write" ? options.onNotice : undefined;
  if (worker === undefined) return { ...prepareQuestions(engine, now), close };
  const { options: sharing, lease } = worker;
  const storeOn = (fenced: Engine): LeasedStore => prepareQuestions(fenced, now, { ...sharing, owner: lease.owner });
  return { ...storeOn(engine), ...workerSharing(worker, storeOn, worker.reportCounts, onNotice), close };
}

function prepareQuestions(engine: Engine, now: () => number, batchOwner: BatchOwner = { now }): Questions {
  const bytecodes = prepareBytecodes(engine);
  return {
    knowsBytecode: bytecodes.knowsBytecode,
    ...prepareNodeSources(engine),
    ...prepareTargets(engine),
    ...prepareTargetHistories(engine),
    ...prepareRuns(engine),
    ...prepareFindings(engine),
    ...prepareNodeBuilds(engine),
    ...prepareDerive(engine),
    ...preparePins(engine),
    ...prepareExtend(engine),
    ...preparePassOver(engine),
    ...prepareVisits(engine, bytecodes),
    ...prepareMisses(engine),
    ...prepareBatches(engine, batchOwner),
    ...prepareTraces(engine, batchOwner),
    ...prepareTraceGroups(engine, batchOwner),
    ...prepareSeal(engine),
    ...prepareDiscovery(engine),
    ...prepareChainFingerprint(engine),
    ...prepareStatusQueries(engine),
    ...prepareOpenGaps(engine),
    ...prepareChanges(engine),
    ...prepareGrowth(engine),
    ...prepareJudging(engine),
    ...prepareModuleSample(engine),
    ...prepareProbes(engine, bytecodes),
    ...prepareSearch(engine),
    ...prepareIdentifiers(engine),
    ...prepareRepair(engine),
    ...prepareBackfill(engine),
    ...preparePageReads(engine),
    ...prepareWatches(engine),
    ...prepareDeliveries(engine),
    ...prepareLedgerTimes(engine),
    ...prepareCoverageReads(engine),
    ...prepareImports(engine, bytecodes),
    ...singleProcessSharing<LeasedStore>(engine, now),
  };
}
