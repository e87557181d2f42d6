import { statusQueries } from "../../archive/read/status-queries.ts";
import { claimQueries } from "../../archive/snapshots/claims.ts";
import { snapshotQueries } from "../../archive/snapshots/snapshot-queries.ts";
import type { RunWork } from "../run/run-work.ts";
import type { AbiWatch } from "../visit/abi-watch.ts";
import type { SnapshotOutcome } from "./progress.ts";
import { readSnapshot } from "./snapshot.ts";
import type { SnapshotWork } from "./snapshot-reader.ts";
import type { SyncSummary } from "./summary.ts";
import type { Tonight } from "./tonight.ts";

/** What a run has asked of the node, and how long that took. */
type Cost = Pick<SyncSummary, "requests" | "retries" | "bytesReceived" | "durationMs">;

/** One run: what its steps share. */
export type Night = Tonight & {
  readonly work: SnapshotWork & { readonly abiWatch: AbiWatch };
  readonly cost: ReturnType<typeof countCost>;
  /** Versions that earlier runs began to read, and this one has finished. */
  readonly finished: Set<bigint>;
  /** A summary per snapshot, the run's own last. */
  readonly summaries: SyncSummary[];
};

/** Reads what is left of a snapshot. */
export async function readSummed(night: Night, version: bigint, isResumed: boolean): Promise<SyncSummary> {
  return summarize(night, version, (await readSnapshot(night.work, version)).outcome, isResumed);
}

/** The summary of a snapshot whose work ends now, with the requests, bytes and time since the one before. */
export async function summarize(
  { work, cost }: Night,
  version: bigint,
  outcome: SnapshotOutcome,
  isResumed: boolean,
): Promise<SyncSummary> {
  const { engine, stop, clock } = work;
  const held = await statusQueries(engine).snapshotCounts(version);
  // A sealed snapshot has accounts to read when it was extended since.
  const { planned: left } = await snapshotQueries(engine).progress(version);
  const isSealed = held.status.startsWith("sealed") && left === 0;
  const { isSealedByAnother, ...came } = outcome;
  const sealedBy = isSealed && isSealedByAnother ? (await snapshotQueries(engine).findSnapshot(version))?.sealedBy : undefined;
  const isOthers = !isSealed && (await claimQueries(engine, { now: clock.now }).accountsLeft(version)).claimed > 0;
  return {
    chainId: held.chainId,
    ledgerVersion: version,
    status: isSealed ? (held.status as "sealed" | "sealed_with_gaps") : "unsealed",
    accounts: held.accounts,
    modules: held.modules,
    changedModules: held.changedModules,
    ...came,
    ...cost.since(),
    gaps: held.gaps,
    digest: isSealed ? held.digest : null,
    isResumed,
    ...(sealedBy !== undefined && { sealedBy }),
    ...(!isSealed && { accountsLeft: left }),
    ...(isOthers && { othersGoOn: true }),
    ...(held.passedOver !== null && { passedOver: held.passedOver }),
    ...(held.unreadRecords > 0 && { unreadRecords: held.unreadRecords }),
    stoppedBy: stop.reason,
  };
}

/**
 * Divides a run's cost among its snapshots, so that their shares add up to the whole, with the requests that the run began with. Counts
 * time from now on, and requests from the node's first one on.
 */
export function countCost({ node, clock }: Pick<RunWork, "node" | "clock">) {
  const startedMs = clock.monotonic();
  let shared: Cost = { requests: 0, retries: 0, bytesReceived: 0, durationMs: 0 };
  const elapsedMs = (): number => clock.monotonic() - startedMs;
  return {
    elapsedMs,
    /** The cost since this was last asked for. */
    since: (): Cost => {
      const before = shared;
      const { requests, retries, bytesReceived } = node.stats();
      shared = { requests, retries, bytesReceived, durationMs: elapsedMs() };
      return addCost(shared, before, -1);
    },
  };
}

/** Both costs together, or the first one less the second. */
export function addCost(to: Cost, cost: Cost, sign: 1 | -1 = 1): Cost {
  return {
    requests: to.requests + sign * cost.requests,
    retries: to.retries + sign * cost.retries,
    bytesReceived: to.bytesReceived + sign * cost.bytesReceived,
    durationMs: to.durationMs + sign * cost.durationMs,
  };
}
