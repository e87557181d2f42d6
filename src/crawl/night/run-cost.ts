import type { RunWork } from "../run/run-work.ts";
import type { ReadSnapshot } from "./snapshot.ts";
import type { SyncSummary } from "./summary.ts";

type Cost = Pick<SyncSummary, "requests" | "retries" | "bytesReceived" | "durationMs">;

/**
 * Divides a run's cost among its snapshots: each summary holds the requests, bytes and time since the one before, so that
 * the summaries of a run add up to its whole cost, including the requests that it began with.
 */
export class RunCost {
  readonly #work: RunWork;
  readonly #startedMs: number;
  /** The cost that is in summaries already. */
  #summed: Cost = { requests: 0, retries: 0, bytesReceived: 0, durationMs: 0 };

  /** Counts time from now on, and requests from the node's first one on. */
  constructor(work: RunWork) {
    this.#work = work;
    this.#startedMs = work.clock.monotonic();
  }

  /** How long the run has taken so far, in milliseconds. */
  elapsedMs(): number {
    return this.#work.clock.monotonic() - this.#startedMs;
  }

  /** A summary with the cost since it was made added to it. */
  extend(summary: SyncSummary): SyncSummary {
    const since = this.#costSince();
    return {
      ...summary,
      requests: summary.requests + since.requests,
      retries: summary.retries + since.retries,
      bytesReceived: summary.bytesReceived + since.bytesReceived,
      durationMs: summary.durationMs + since.durationMs,
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
  #costSince(): Cost {
    const before = this.#summed;
    const { requests, retries, bytesReceived } = this.#work.node.stats();
    const durationMs = this.elapsedMs();
    this.#summed = { requests, retries, bytesReceived, durationMs };
    return {
      requests: requests - before.requests,
      retries: retries - before.retries,
      bytesReceived: bytesReceived - before.bytesReceived,
      durationMs: durationMs - before.durationMs,
    };
  }
}
