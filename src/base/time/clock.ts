import { setTimeout as delay } from "node:timers/promises";

/** Time as movedex sees it; tests pass their own. */
export type Clock = {
  /** Wall time in milliseconds since 1970. May jump. */
  readonly now: () => number;
  /** Milliseconds on a clock that never goes back; only differences mean anything. */
  readonly monotonic: () => number;
  /** Resolves after `ms` milliseconds; rejects with the signal's reason when it is aborted. */
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
};

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: async (ms, signal) => {
    try {
      await delay(ms, undefined, signal ? { signal } : {});
    } catch (error) {
      throw signal?.aborted ? signal.reason : error;
    }
  },
};
