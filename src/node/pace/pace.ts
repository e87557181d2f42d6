import type { Log } from "../../base/log.ts";
import type { Clock } from "../../base/time/clock.ts";
import { formatDuration } from "../../base/time/duration.ts";
import type { RetryPolicy } from "../protocol/error-classes.ts";
import { AnswerFault } from "../protocol/node-error.ts";
import { backoffMs, clampRetryAfter } from "../protocol/retry-wait.ts";
import { AdaptiveRate } from "./adaptive-rate.ts";
import { Breaker, type BreakerLimits } from "./breaker.ts";
import { QuotaRate } from "./quota-rate.ts";
import { RateGate } from "./rate-gate.ts";
import type { Quota } from "./rate-headers.ts";
import { type RateGrant, RateShare, type RateWish } from "./rate-share.ts";
import { TokenBucket } from "./token-bucket.ts";

/** Over how long the rate of requests sent is measured. */
const MEASURE_MS = 5000;

/** Other processes learn of a longer pause when it grew by more than this: a node's reset wavers. */
const LONGER_MS = 500;

/** The log has one line for the 429s of this long. */
const LOG_EVERY_MS = 60_000;

/** A pause of all processes that ask a node, from now on. After a complaint of the node they also lower their rate. */
export type PacePause = { readonly pausedMs: number; readonly isComplaint: boolean };

type PaceOptions = {
  /** 0 means no limit. */
  readonly perSecond: number;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Log;
  readonly breaker: BreakerLimits;
};

/**
 * Decides when the next request may be sent: by the rate, by a pause of all requests after the node complained, and by the
 * breaker. The outcome of every request is reported back: `answered`, `complained`, `failed` or `abandoned`.
 */
export class Pace {
  readonly #options: PaceOptions;
  readonly #rate: AdaptiveRate;
  readonly #quota = new QuotaRate();
  readonly #bucket: TokenBucket;
  readonly #breaker: Breaker;
  readonly #gate: RateGate;
  #share: RateShare | undefined;
  #onPause: (pause: PacePause) => void = () => {};
  #sharedUntilMs = Number.NEGATIVE_INFINITY;
  #pausedFromMs = Number.NEGATIVE_INFINITY;
  #pausedUntilMs = Number.NEGATIVE_INFINITY;
  #complaints = 0;
  #loggedAtMs = Number.NEGATIVE_INFINITY;
  #windowFromMs: number;
  #windowCount = 0;
  #sentPerSecond = 0;

  constructor(options: PaceOptions) {
    const now = options.clock.monotonic();
    const perSecond = options.perSecond === 0 ? Number.POSITIVE_INFINITY : options.perSecond;
    this.#options = options;
    this.#rate = new AdaptiveRate(perSecond, now);
    this.#bucket = new TokenBucket(perSecond, now);
    this.#breaker = new Breaker(options.breaker);
    this.#windowFromMs = now;
    this.#gate = new RateGate(
      { waitMs: (at) => this.#waitMs(at), pass: (at) => this.#pass(at), closedFor: (at) => this.#closedFor(at) },
      options.clock,
    );
  }

  /** Requests a second allowed now (null: no limit), and what is left of a pause, in milliseconds. */
  now(): { perSecond: number | null; pausedMs: number } {
    const now = this.#options.clock.monotonic();
    const perSecond = Math.min(this.#perSecond(now), this.#share?.perSecond(now) ?? Number.POSITIVE_INFINITY);
    return { perSecond: Number.isFinite(perSecond) ? perSecond : null, pausedMs: Math.max(0, this.#pausedUntilMs - now) };
  }

  /**
   * Waits for this request's turn, at most until `untilMs` on the monotonic clock; undefined when it may be sent at once.
   * Rejects with the signal's reason, or with a fault: `node_down`, or `rate_limited` when the turn did not come in time.
   */
  turn(untilMs: number, signal: AbortSignal | undefined): Promise<void> | undefined {
    return this.#gate.enter(untilMs, signal);
  }

  /** Whether the request that just had its turn is the one that shows if the node is up. */
  get isProbing(): boolean {
    return this.#breaker.isProbing;
  }

  /** From now on nothing is sent but within grants of a rate that this process shares with others. */
  share(limitPerSecond: number): void {
    this.#share = new RateShare(limitPerSecond, this.#options.clock.monotonic());
  }

  /** What to ask for of the shared rate, see `RateShare`; undefined for nothing. */
  wish(): RateWish | undefined {
    return this.#share?.wish(this.#options.clock.monotonic());
  }

  grant(grant: RateGrant): void {
    this.#share?.grant(grant);
    this.#gate.wake();
  }

  /** Calls back when the node wants all to wait. One listener at a time. */
  onPause(listener: (pause: PacePause) => void): void {
    this.#onPause = listener;
  }

  /** Takes over a pause from another process. A complaint lowers the rate, unless it falls into a pause that did so. */
  pauseFor({ pausedMs, isComplaint }: PacePause): void {
    const now = this.#options.clock.monotonic();
    if (isComplaint && now > this.#pausedUntilMs) {
      this.#complain(now);
      this.#logComplaint(now, pausedMs, "The node told another process that it wants fewer requests");
    }
    this.#pausedUntilMs = Math.max(this.#pausedUntilMs, now + pausedMs);
    this.#sharedUntilMs = Math.max(this.#sharedUntilMs, this.#pausedUntilMs);
    this.#gate.wake();
  }

  /** Takes the quota that an answer gave. It only ever lowers the rate. */
  quota(quota: Quota): void {
    const now = this.#options.clock.monotonic();
    const untilMs = this.#quota.observe(quota, now);
    if (untilMs !== undefined && untilMs > this.#pausedUntilMs) {
      this.#pausedUntilMs = untilMs;
      this.#options.log("info", `The node says that its limit is used up: all wait ${formatDuration(untilMs - now)}`, {
        wait_ms: Math.round(untilMs - now),
      });
      this.#sharePause(now, false);
    }
    this.#gate.wake();
  }

  /** The node answered, with data or with an error that says nothing about its load. */
  answered(sentAtMs: number): void {
    this.#breaker.answered();
    if (sentAtMs >= this.#pausedUntilMs) this.#complaints = 0;
    this.#gate.wake();
  }

  /** The node asked for fewer requests: all pause, and the rate falls. Complaints about requests from before the pause do not count. */
  complained(sentAtMs: number, retry: RetryPolicy, retryAfterMs: number | undefined): void {
    const now = this.#options.clock.monotonic();
    this.#breaker.answered();
    const isNew = sentAtMs > this.#pausedFromMs;
    if (isNew) {
      this.#complaints += 1;
      this.#complain(now);
    }
    const wait =
      retryAfterMs === undefined ? backoffMs(retry, this.#complaints, this.#options.random()) : clampRetryAfter(retry, retryAfterMs);
    this.#pausedUntilMs = Math.max(this.#pausedUntilMs, now + wait);
    if (isNew) this.#logComplaint(now, wait);
    this.#sharePause(now, isNew);
    this.#gate.wake();
  }

  /** The request failed in a way that may concern the whole node. Returns whether the node is now taken to be down. */
  failed(request: string, how: "down" | "suspect"): boolean {
    const wasClosed = this.#breaker.isClosed;
    this.#breaker.failed(this.#options.clock.monotonic(), request, how);
    const isDown = !this.#breaker.isClosed;
    if (wasClosed && isDown) this.#options.log("warn", "The node seems to be down; waiting until it answers again");
    this.#gate.wake();
    return isDown;
  }

  /** The request was aborted by us before anything came back. */
  abandoned(): void {
    this.#breaker.abandoned(this.#options.clock.monotonic());
    this.#gate.wake();
  }

  /** Rejects everything that waits. */
  close(reason: unknown): void {
    this.#gate.rejectAll(reason);
  }

  #complain(now: number): void {
    this.#rate.complain(now, this.#measured(now));
    this.#share?.complain(now);
    this.#pausedFromMs = now;
  }

  #sharePause(now: number, isComplaint: boolean): void {
    if (!isComplaint && this.#pausedUntilMs <= this.#sharedUntilMs + LONGER_MS) return;
    this.#sharedUntilMs = this.#pausedUntilMs;
    this.#onPause({ pausedMs: this.#pausedUntilMs - now, isComplaint });
  }

  #logComplaint(now: number, waitMs: number, who = "The node wants fewer requests"): void {
    if (now - this.#loggedAtMs < LOG_EVERY_MS) return;
    this.#loggedAtMs = now;
    const perSecond = this.#rate.perSecond(now);
    const pace = perSecond > 0.5 ? `${perSecond.toFixed(1)} requests a second` : `one request every ${formatDuration(1000 / perSecond)}`;
    const message = `${who}: all wait ${formatDuration(waitMs)}, then go on with at most ${pace} for now`;
    this.#options.log("info", message, { wait_ms: Math.round(waitMs), per_second: Number(perSecond.toFixed(3)) });
  }

  #waitMs(now: number): number {
    const perSecond = this.#perSecond(now);
    this.#bucket.setRate(perSecond, now);
    return Math.max(this.#pausedUntilMs - now, this.#breaker.waitMs(now), this.#bucket.waitMs(now), this.#share?.waitMs(now) ?? 0);
  }

  #perSecond(now: number): number {
    return Math.min(this.#rate.perSecond(now), this.#quota.perSecond(now));
  }

  #pass(now: number): void {
    this.#bucket.take();
    this.#share?.pass();
    this.#breaker.sent();
    this.#quota.sent();
    this.#windowCount += 1;
    this.#measured(now);
  }

  #closedFor(now: number): AnswerFault | undefined {
    const downMs = this.#breaker.givenUpAfterMs(now);
    return downMs === undefined ? undefined : new AnswerFault("node_down", `nothing came back for ${Math.round(downMs / 1000)} s`);
  }

  /** Requests a second sent over the last measured stretch. */
  #measured(now: number): number {
    const elapsed = now - this.#windowFromMs;
    if (elapsed >= MEASURE_MS) {
      this.#sentPerSecond = (this.#windowCount / elapsed) * 1000;
      this.#windowFromMs = now;
      this.#windowCount = 0;
    }
    return this.#sentPerSecond || this.#windowCount;
  }
}
