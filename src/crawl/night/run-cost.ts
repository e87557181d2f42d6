import type { NodeStats } from "../../node/ledger-node.ts";
import type { SnapshotOutcome } from "./snapshot.ts";
import type { SnapshotWork } from "./snapshot-reader.ts";
import type { SyncSummary } from "./summary.ts";

/**
 * Adds up a run's cost, snapshot by snapshot: each summary holds what the counters of the node's door and the clock rose by
 * since the one before, so that the summaries of a run add up to all that it asked, the first questions included.
 */
export class Measure {
  readonly #work: SnapshotWork;
  #atMs: number;
  #stats: NodeStats;

  /** Begins where the counters stand now. */
  constructor(work: SnapshotWork) {
    this.#work = work;
    this.#atMs = work.clock.monotonic();
    this.#stats = work.node.stats();
  }

  /** A summary with the cost of what was done for its snapshot after it was made. */
  extend(summary: SyncSummary): SyncSummary {
    const { node, clock, stop } = this.#work;
    const before = { atMs: this.#atMs, stats: this.#stats };
    this.#atMs = clock.monotonic();
    this.#stats = node.stats();
    return {
      ...summary,
      requests: summary.requests + this.#stats.requests - before.stats.requests,
      retries: summary.retries + this.#stats.retries - before.stats.retries,
      bytesReceived: summary.bytesReceived + this.#stats.bytesReceived - before.stats.bytesReceived,
      durationMs: summary.durationMs + this.#atMs - before.atMs,
      stoppedBy: stop.reason,
    };
  }

  /** The summary of a snapshot whose work ends now. */
  async summarize(version: bigint, outcome: SnapshotOutcome, isResumed: boolean): Promise<SyncSummary> {
    const { store, node, clock, stop } = this.#work;
    const held = await store.snapshotCounts(version);
    // Work may be left in a snapshot that was sealed before and extended since.
    const isSealed = held.status.startsWith("sealed") && (await store.progress(version)).planned === 0;
    const before = { atMs: this.#atMs, stats: this.#stats };
    this.#atMs = clock.monotonic();
    this.#stats = node.stats();
    return {
      chainId: held.chainId,
      ledgerVersion: version,
      status: isSealed ? (held.status as "sealed" | "sealed_with_gaps") : "unsealed",
      accounts: held.accounts,
      modules: held.modules,
      newBytecodes: outcome.newBytecodes,
      changedModules: held.changedModules,
      requests: this.#stats.requests - before.stats.requests,
      retries: this.#stats.retries - before.stats.retries,
      bytesReceived: this.#stats.bytesReceived - before.stats.bytesReceived,
      gaps: held.gaps,
      digest: isSealed ? held.digest : null,
      durationMs: this.#atMs - before.atMs,
      isLost: outcome.isLost,
      isResumed,
      stoppedBy: stop.reason,
    };
  }
}
