import PQueue from "p-queue";
import type { Log } from "../../base/log.ts";
import { plural } from "../../base/plural.ts";
import { type Clock, formatDuration } from "../../base/time.ts";
import type { RetryPolicy } from "../protocol/error-classes.ts";
import { AnswerFault, backoffMs, clampRetryAfter } from "../protocol/node-error.ts";
import { Breaker, type BreakerLimits, RateLimit } from "./limits.ts";

/** The log has one line for the 429s of this long, and one for a node that seems down again and again. */
const LOG_EVERY_MS = 60_000;
/** No single sleep is longer, so that a suspended machine costs a minute and not a night. */
const LONGEST_SLEEP_MS = 60_000;

type PaceOptions = {
  /** 0 means no limit. */
  readonly perSecond: number;
  /** Requests that may be sent in all. */
  readonly budget?: number | undefined;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Log;
  readonly breaker: BreakerLimits;
};

export type Pace = ReturnType<typeof openPace>;

/** An attempt that failed: of which request, sent when, and why, which `said` tells in words that are safe to print. */
export type FailedAttempt = { readonly path: string; readonly sentAtMs: number; readonly fault: AnswerFault; readonly said: string };

/**
 * Decides when the next request may be sent: by the budget, by the rate, by a pause of all requests after the node complained, and by the
 * breaker. Requests wait in one queue. The outcome of each is reported back: `answered` or `failed`.
 */
export function openPace({ perSecond: asked, budget = Number.POSITIVE_INFINITY, clock, random, log, breaker: limits }: PaceOptions) {
  const rate = new RateLimit(asked === 0 ? Number.POSITIVE_INFINITY : asked);
  const breaker = new Breaker(limits);
  const turns = new PQueue({ concurrency: 1 });
  const closing = new AbortController();
  let [sent, keptAside] = [0, 0];
  let pausedFromMs = Number.NEGATIVE_INFINITY;
  let pausedUntilMs = Number.NEGATIVE_INFINITY;
  let complaints = 0;
  const loggedAtMs = { complaint: Number.NEGATIVE_INFINITY, down: Number.NEGATIVE_INFINITY };
  let lastFailure: FailedAttempt | undefined;

  /** Takes the turn if that can be at once; else says in how many milliseconds. */
  function takeTurn(isLast: boolean): number {
    closing.signal.throwIfAborted();
    if (sent >= (isLast ? budget : budget - keptAside))
      throw new AnswerFault("budget_spent", `${plural(budget, "request")} ${budget === 1 ? "was" : "were"} allowed`);
    const now = clock.monotonic();
    const wait = Math.max(pausedUntilMs - now, breaker.waitMs(now), rate.waitMs(now));
    if (wait > 0) return wait;
    sent += 1;
    rate.take(now);
    return 0;
  }

  async function waitForTurn(untilMs: number, signal: AbortSignal | undefined, probe: () => Promise<void>, isLast: boolean): Promise<void> {
    // Whoever sent a probe before has gone: only the first in the queue sends one.
    breaker.abandoned(clock.monotonic());
    for (;;) {
      const wait = takeTurn(isLast);
      if (wait > 0) {
        const now = clock.monotonic();
        const downMs = breaker.givenUpAfterMs(now);
        if (downMs !== undefined) throw nodeDown(downMs);
        if (now >= untilMs) throw new AnswerFault("rate_limited", "the request's turn did not come in time");
        await sleep(Math.ceil(Math.max(1, Math.min(wait, untilMs - now, LONGEST_SLEEP_MS))), signal);
      } else if (breaker.isClosed) return;
      else {
        breaker.sent();
        // With nothing left it is a sign of life itself.
        if (isLast && sent >= budget) return;
        await probe();
      }
    }
  }

  function nodeDown(downMs: number): AnswerFault {
    const last = lastFailure === undefined ? "" : `; last: ${lastFailure.said}`;
    const { known, cause } = lastFailure?.fault ?? {};
    return new AnswerFault("node_down", `no answer for ${Math.round(downMs / 1000)} s${last}`, known, cause);
  }

  /** Ends early when the pace is closed. `AbortSignal.any` would leak a listener on both signals for each wait. */
  async function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
    const waiting = new AbortController();
    const stop = (): void => waiting.abort();
    for (const source of [signal, closing.signal]) source?.addEventListener("abort", stop);
    if (signal?.aborted || closing.signal.aborted) stop();
    try {
      await clock.sleep(ms, waiting.signal);
    } catch {
      signal?.throwIfAborted();
    } finally {
      for (const source of [signal, closing.signal]) source?.removeEventListener("abort", stop);
    }
  }

  /** Whether one more line of this kind is due. */
  function isDue(what: keyof typeof loggedAtMs): boolean {
    const now = clock.monotonic();
    if (now - loggedAtMs[what] < LOG_EVERY_MS) return false;
    loggedAtMs[what] = now;
    return true;
  }

  return {
    /** Requests sent, those of the probes among them. */
    sent: (): number => sent,
    /** Requests that may still be sent, without those kept aside. */
    left: (): number => budget - keptAside - sent,
    /** Keeps `requests` of the budget for requests with `isLast`. */
    keepAside: (requests: number): void => {
      keptAside = requests;
    },
    /** Requests a second allowed now (null: no limit), and what is left of a pause, in milliseconds. */
    now: (): { perSecond: number | null; pausedMs: number } => {
      const now = clock.monotonic();
      const perSecond = rate.perSecond(now);
      return { perSecond: Number.isFinite(perSecond) ? perSecond : null, pausedMs: Math.max(0, pausedUntilMs - now) };
    },
    /**
     * Waits for this request's turn, which comes in the order of the calls. While the node is down, the first in the queue sends `probe`,
     * which reports its outcome as a request does. Rejects with the signal's reason, with what `probe` throws, or with a fault:
     * `budget_spent`, `node_down`, or `rate_limited` when the turn has not come by `untilMs` (monotonic). With `isLast` it may take what
     * is kept aside.
     */
    turn: async (untilMs: number, signal: AbortSignal | undefined, probe: () => Promise<void>, isLast = false): Promise<void> => {
      signal?.throwIfAborted();
      const isFree = turns.size + turns.pending === 0 && breaker.isClosed && takeTurn(isLast) === 0;
      if (!isFree) await turns.add(() => waitForTurn(untilMs, signal, probe, isLast), signal ? { signal } : {});
    },
    isDown: (): boolean => !breaker.isClosed,
    /** The node answered, with data or with an error that says nothing about its load. */
    answered: (sentAtMs: number): void => {
      breaker.answered();
      if (sentAtMs >= pausedUntilMs) complaints = 0;
    },
    /**
     * The node asked for fewer requests, or refuses them all: all pause, and the rate falls. Complaints about requests from before the
     * pause do not count.
     */
    complained: ({ sentAtMs, fault, said }: FailedAttempt, retry: RetryPolicy): void => {
      const now = clock.monotonic();
      breaker.answered();
      const isNew = sentAtMs > pausedFromMs;
      if (isNew) {
        complaints += 1;
        rate.complain(now);
        pausedFromMs = now;
      }
      const { retryAfterMs } = fault.known;
      const wait = retryAfterMs === undefined ? backoffMs(retry, complaints, random()) : clampRetryAfter(retry, retryAfterMs);
      pausedUntilMs = Math.max(pausedUntilMs, now + wait);
      if (!isNew || !isDue("complaint")) return;
      const perSecond = rate.perSecond(now);
      const pace = perSecond > 0.5 ? `${perSecond.toFixed(1)} requests a second` : `one request every ${formatDuration(1000 / perSecond)}`;
      const message = `All requests wait ${formatDuration(wait)}, then go on with at most ${pace} for now: ${said}`;
      log("info", message, { wait_ms: Math.round(wait), per_second: Number(perSecond.toFixed(3)) });
    },
    /** The request failed in a way that concerns the whole node, perhaps or for certain. */
    failed: (attempt: FailedAttempt, how: "down" | "suspect"): void => {
      const wasClosed = breaker.isClosed;
      breaker.failed(clock.monotonic(), attempt.path, how);
      lastFailure = attempt;
      if (!wasClosed || breaker.isClosed || !isDue("down")) return;
      log("warn", `The node seems to be down; waiting for up to ${formatDuration(breaker.giveUpMs)} until it answers (${attempt.said})`);
    },
    /** Waits so long, or until the pace is closed. Rejects with the signal's reason. */
    sleep,
    /** Rejects everything that waits. */
    close: (reason: unknown): void => closing.abort(reason),
  };
}
