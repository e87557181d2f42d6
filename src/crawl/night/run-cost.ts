import type { NodeStats } from "../../node/open-node.ts";
import type { RunWork } from "../run/run-work.ts";
import type { ReadSnapshot } from "./snapshot.ts";
import type { SyncSummary } from "./summary.ts";

/** Divides a run's cost among its snapshots: each summary has the cost since the one before, and all add up to the run's. */
export class RunCost {
  readonly #work: RunWork;
  readonly #startedMs: number;
  #atMs: number;
  #stats: NodeStats;

  /** Counts time from now on, and requests from the node's first one on. */
  constructor(work: RunWork) {
    this.#work = work;
    this.#startedMs = work.clock.monotonic();
    this.#atMs = this.#startedMs;
    this.#stats = { ...work.node.stats(), requests: 0, retries: 0, bytesReceived: 0 };
  }

  /** How long the run has taken so far, in milliseconds. */
  elapsedMs(): number {
    return this.#work.clock.monotonic() - this.#startedMs;
  }

  /** A summary with the cost since it was made added to it. */
  extend(summary: SyncSummary): SyncSummary {
    const { requests, retries, bytesReceived, durationMs } = this.#costSince();
    return {
      ...summary,
      requests: summary.requests + requests,
      retries: summary.retries + retries,
      bytesReceived: summary.bytesReceived + bytesReceived,
      durationMs: summary.durationMs + durationMs,
      stoppedBy: this.#work.stop.reason,
    };
  }

  /** The summary of a snapshot whose work ends now. */
  async summarize(version: bigint, outcome: Omit<ReadSnapshot, "isSealed">, isResumed: boolean): Promise<SyncSummary> {
    const { store, stop } = this.#work;
    const held = await store.snapshotCounts(version);
    // A sealed snapshot has accounts to read when it was extended since.
    const isSealed = held.status.startsWith("sealed") && (await store.progress(version)).planned === 0;
    return {
      chainId: held.chainId,
      ledgerVersion: version,
      status: isSealed ? (held.status as "sealed" | "sealed_with_gaps") : "unsealed",
      accounts: held.accounts,
      modules: held.modules,
      newBytecodes: outcome.newBytecodes,
      empty: outcome.empty,
      changedModules: held.changedModules,
      ...this.#costSince(),
      gaps: held.gaps,
      digest: isSealed ? held.digest : null,
      isLost: outcome.isLost,
      isResumed,
      ...(held.passedOver === null ? {} : { passedOver: held.passedOver }),
      ...(held.unreadRecords === 0 ? {} : { unreadRecords: held.unreadRecords }),
      ...(outcome.doubtful ? { doubtful: outcome.doubtful } : {}),
      stoppedBy: stop.reason,
      ...(outcome.isSealedByAnother ? { isSealedByAnother: true } : {}),
    };
  }

  /** The cost since this was last asked for. */
  #costSince() {
    const before = { atMs: this.#atMs, stats: this.#stats };
    this.#atMs = this.#work.clock.monotonic();
    this.#stats = this.#work.node.stats();
    return {
      requests: this.#stats.requests - before.stats.requests,
      retries: this.#stats.retries - before.stats.retries,
      bytesReceived: this.#stats.bytesReceived - before.stats.bytesReceived,
      durationMs: this.#atMs - before.atMs,
    };
  }
}
