import type { NodeStats } from "../node/ledger-node.ts";
import type { SnapshotOutcome, SnapshotWork } from "./snapshot.ts";
import type { SyncSummary } from "./summary.ts";

/** Where the counters of the node's door and the clock stood when work on a snapshot began. */
export type Begun = { readonly atMs: number; readonly stats: NodeStats };

/** Takes down where the counters stand. */
export function beginMeasure(work: SnapshotWork): Begun {
  return { atMs: work.clock.monotonic(), stats: work.node.stats() };
}

/** A snapshot's summary: its counts from the store, and what the door's counters rose by since `begun`. */
export function summarize(work: SnapshotWork, version: bigint, begun: Begun, outcome: SnapshotOutcome, isResumed: boolean): SyncSummary {
  const stats = work.node.stats();
  const held = work.store.snapshotCounts(version);
  return {
    chainId: held.chainId,
    ledgerVersion: version,
    status: held.status === "sealed" || held.status === "sealed_with_gaps" ? held.status : "unsealed",
    accounts: held.accounts,
    modules: held.modules,
    newBytecodes: outcome.newBytecodes,
    changedModules: held.changedModules,
    requests: stats.requests - begun.stats.requests,
    retries: stats.retries - begun.stats.retries,
    bytesReceived: stats.bytesReceived - begun.stats.bytesReceived,
    gaps: held.gaps,
    digest: held.digest,
    durationMs: work.clock.monotonic() - begun.atMs,
    isLost: outcome.isLost,
    isResumed,
    stoppedBy: work.stop.reason,
  };
}
