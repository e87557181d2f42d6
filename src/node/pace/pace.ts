import type { Log } from "../../base/log.ts";
import type { Clock } from "../../base/time/clock.ts";
import { formatDuration } from "../../base/time/duration.ts";
import type { RetryPolicy } from "../protocol/error-classes.ts";
import { AnswerFault } from "../protocol/node-error.ts";
import { backoffMs, clampRetryAfter } from "../protocol/retry-wait.ts";
import { AdaptiveRate } from "./adaptive-rate.ts";
import { Breaker, type BreakerLimits } from "./breaker.ts";
import { type Quota, QuotaRate } from "./quota-rate.ts";
import { RateGate } from "./rate-gate.ts";
import { TokenBucket } from "./token-bucket.ts";

/** Over how long the rate of requests sent is measured. */
const MEASURE_MS = 5000;

/** The log has one line for the 429s of this long. */
const LOG_EVERY_MS = 60_000;

type PaceOptions = {
  /** 0 means no limit. */
  readonly perSecond: number;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Log;
  readonly breaker: BreakerLimits;
};

export type Pace = ReturnType<typeof openPace>;

/**
 * Decides when the next request may be sent: by the rate, by a pause of all requests after the node complained, and by the
 * breaker. The outcome of every request is reported back: `answered`, `complained`, `failed` or `abandoned`.
 */
export function openPace({ perSecond: asked, clock, random, log, breaker: limits }: PaceOptions) {
  const startedMs = clock.monotonic();
  const ceiling = asked === 0 ? Number.POSITIVE_INFINITY : asked;
  const rate = new AdaptiveRate(ceiling, startedMs);
  const quota = new QuotaRate();
  const bucket = new TokenBucket(ceiling, startedMs);
  const breaker = new Breaker(limits);
  const gate = new RateGate({ waitMs, pass, closedFor }, clock);
  let pausedFromMs = Number.NEGATIVE_INFINITY;
  let pausedUntilMs = Number.NEGATIVE_INFINITY;
  let complaints = 0;
  let loggedAtMs = Number.NEGATIVE_INFINITY;
  let windowFromMs = startedMs;
  let windowCount = 0;
  let sentPerSecond = 0;

  function waitMs(now: number): number {
    bucket.setRate(ownRate(now), now);
    return Math.max(pausedUntilMs - now, breaker.waitMs(now), bucket.waitMs(now));
  }

  function ownRate(now: number): number {
    return Math.min(rate.perSecond(now), quota.perSecond(now));
  }

  function pass(now: number): void {
    bucket.take();
    breaker.sent();
    quota.sent();
    windowCount += 1;
    measured(now);
  }

  function closedFor(now: number): AnswerFault | undefined {
    const downMs = breaker.givenUpAfterMs(now);
    return downMs === undefined ? undefined : new AnswerFault("node_down", `nothing came back for ${Math.round(downMs / 1000)} s`);
  }

  /** Requests a second sent over the last measured stretch. */
  function measured(now: number): number {
    const elapsed = now - windowFromMs;
    if (elapsed >= MEASURE_MS) {
      sentPerSecond = (windowCount / elapsed) * 1000;
      windowFromMs = now;
      windowCount = 0;
    }
    return sentPerSecond || windowCount;
  }

  function logComplaint(now: number, wait: number): void {
    if (now - loggedAtMs < LOG_EVERY_MS) return;
    loggedAtMs = now;
    const perSecond = rate.perSecond(now);
    const pace = perSecond > 0.5 ? `${perSecond.toFixed(1)} requests a second` : `one request every ${formatDuration(1000 / perSecond)}`;
    const message = `The node wants fewer requests: all wait ${formatDuration(wait)}, then go on with at most ${pace} for now`;
    log("info", message, { wait_ms: Math.round(wait), per_second: Number(perSecond.toFixed(3)) });
  }

  return {
    /** Requests a second allowed now (null: no limit), and what is left of a pause, in milliseconds. */
    now: (): { perSecond: number | null; pausedMs: number } => {
      const now = clock.monotonic();
      const perSecond = ownRate(now);
      return { perSecond: Number.isFinite(perSecond) ? perSecond : null, pausedMs: Math.max(0, pausedUntilMs - now) };
    },
    /**
     * Waits for this request's turn, at most until `untilMs` on the monotonic clock; undefined when it may be sent at once.
     * Rejects with the signal's reason, or with a fault: `node_down`, or `rate_limited` when the turn did not come in time.
     */
    turn: (untilMs: number, signal: AbortSignal | undefined): Promise<void> | undefined => gate.enter(untilMs, signal),
    /** Whether the request that just had its turn is the one that shows if the node is up. */
    isProbing: (): boolean => breaker.isProbing,
    /** Takes the quota that an answer gave. It only ever lowers the rate. */
    quota: (given: Quota): void => {
      const now = clock.monotonic();
      const untilMs = quota.observe(given, now);
      if (untilMs !== undefined && untilMs > pausedUntilMs) {
        pausedUntilMs = untilMs;
        const message = `The node says that its limit is used up: all wait ${formatDuration(untilMs - now)}`;
        log("info", message, { wait_ms: Math.round(untilMs - now) });
      }
      gate.wake();
    },
    /** The node answered, with data or with an error that says nothing about its load. */
    answered: (sentAtMs: number): void => {
      breaker.answered();
      if (sentAtMs >= pausedUntilMs) complaints = 0;
      gate.wake();
    },
    /** The node asked for fewer requests: all pause, and the rate falls. Complaints about requests from before the pause do not count. */
    complained: (sentAtMs: number, retry: RetryPolicy, retryAfterMs: number | undefined): void => {
      const now = clock.monotonic();
      breaker.answered();
      const isNew = sentAtMs > pausedFromMs;
      if (isNew) {
        complaints += 1;
        rate.complain(now, measured(now));
        pausedFromMs = now;
      }
      const wait = retryAfterMs === undefined ? backoffMs(retry, complaints, random()) : clampRetryAfter(retry, retryAfterMs);
      pausedUntilMs = Math.max(pausedUntilMs, now + wait);
      if (isNew) logComplaint(now, wait);
      gate.wake();
    },
    /** The request failed in a way that may concern the whole node. Returns whether the node is now taken to be down. */
    failed: (request: string, how: "down" | "suspect"): boolean => {
      const wasClosed = breaker.isClosed;
      breaker.failed(clock.monotonic(), request, how);
      const isDown = !breaker.isClosed;
      if (wasClosed && isDown) log("warn", "The node seems to be down; waiting until it answers again");
      gate.wake();
      return isDown;
    },
    /** The request was aborted by us before anything came back. */
    abandoned: (): void => {
      breaker.abandoned(clock.monotonic());
      gate.wake();
    },
    /** Rejects everything that waits. */
    close: (reason: unknown): void => gate.rejectAll(reason),
  };
}
