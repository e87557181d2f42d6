import { once } from "node:events";
import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import { AdaptiveRate } from "./adaptive-rate.ts";
import { AnswerFault } from "./answer-fault.ts";
import { Breaker, type BreakerLimits } from "./breaker.ts";
import type { Patience } from "./error-classes.ts";
import { backoffMs, clampRetryAfter } from "./retry-wait.ts";
import { TokenBucket } from "./token-bucket.ts";

type Waiter = { readonly go: () => void; readonly stop: (reason: unknown) => void; readonly untilMs: number };

/** No nap is longer, so that a machine that slept, or a clock that misbehaves, costs a minute and not a night. */
const LONGEST_NAP_MS = 60_000;
const MEASURE_MS = 5000;

/**
 * When the next request may go to the node: one queue, first come first served, behind the rate, a pause that all share
 * after the node complained, and the breaker. No one waits for ever: each waiter has an end, may be aborted, and is told
 * when the node is given up. In return whoever had a turn tells what came of it: `answered`, `complained`, `failed` or `abandoned`.
 */
export class Pace {
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #log: Log;
  readonly #rate: AdaptiveRate;
  readonly #bucket: TokenBucket;
  readonly #breaker: Breaker;
  readonly #unlimited: boolean;
  readonly #waiters: Waiter[] = [];
  #pumping = false;
  #nap: AbortController | undefined;
  #pausedFromMs = Number.NEGATIVE_INFINITY;
  #pausedUntilMs = Number.NEGATIVE_INFINITY;
  #complaints = 0;
  #windowFromMs: number;
  #windowCount = 0;
  #sentPerSecond = 0;

  /** `perSecond` 0 means no limit. */
  constructor(options: { perSecond: number; clock: Clock; random: () => number; log: Log; breaker: BreakerLimits }) {
    const now = options.clock.monotonic();
    const perSecond = options.perSecond === 0 ? Number.POSITIVE_INFINITY : options.perSecond;
    this.#clock = options.clock;
    this.#random = options.random;
    this.#log = options.log;
    this.#unlimited = perSecond === Number.POSITIVE_INFINITY;
    this.#rate = new AdaptiveRate(perSecond, now);
    this.#bucket = new TokenBucket(perSecond, now);
    this.#breaker = new Breaker(options.breaker);
    this.#windowFromMs = now;
  }

  /** Requests a second allowed now (null: no limit), and how much of a shared pause is left, in milliseconds. */
  now(): { perSecond: number | null; pausedMs: number } {
    const now = this.#clock.monotonic();
    const perSecond = this.#rate.perSecond(now);
    return { perSecond: Number.isFinite(perSecond) ? perSecond : null, pausedMs: Math.max(0, this.#pausedUntilMs - now) };
  }

  /**
   * Waits for this request's turn, at most until `untilMs` on the monotonic clock. Undefined when it may go at once.
   * Rejects with the signal's reason, or with a fault: `node_down`, or `rate_limited` when the turn did not come in time.
   */
  turn(untilMs: number, signal: AbortSignal | undefined): Promise<void> | undefined {
    signal?.throwIfAborted();
    const now = this.#clock.monotonic();
    if (this.#waiters.length === 0 && this.#waitMs(now) <= 0) {
      this.#send(now);
      return undefined;
    }
    return new Promise((resolve, reject) => {
      const waiter: Waiter = {
        go: () => {
          signal?.removeEventListener("abort", onAbort);
          resolve();
        },
        stop: (reason) => {
          signal?.removeEventListener("abort", onAbort);
          reject(reason);
        },
        untilMs,
      };
      const onAbort = (): void => {
        const place = this.#waiters.indexOf(waiter);
        if (place >= 0) this.#waiters.splice(place, 1);
        this.#wake();
        waiter.stop(signal?.reason);
      };
      signal?.addEventListener("abort", onAbort);
      this.#waiters.push(waiter);
      void this.#pump();
    });
  }

  /** The node answered, with data or with a plain refusal. */
  answered(sentAtMs: number): void {
    this.#breaker.answered();
    if (sentAtMs >= this.#pausedUntilMs) this.#complaints = 0;
    this.#wake();
  }

  /** The node complained of too much: everyone waits, and the rate goes down. Complaints about requests sent before the pause began add nothing. */
  complained(sentAtMs: number, patience: Patience, retryAfterMs: number | undefined): void {
    const now = this.#clock.monotonic();
    this.#breaker.answered();
    const isNews = sentAtMs > this.#pausedFromMs;
    if (isNews) {
      this.#complaints += 1;
      this.#rate.complain(now, this.#measured(now));
      this.#pausedFromMs = now;
    }
    const wait =
      retryAfterMs === undefined ? backoffMs(patience, this.#complaints, this.#random()) : clampRetryAfter(patience, retryAfterMs);
    this.#pausedUntilMs = Math.max(this.#pausedUntilMs, now + wait);
    if (isNews) this.#log("info", "The node wants fewer requests; all wait, then go on more slowly", { waitMs: Math.round(wait) });
    this.#wake();
  }

  /** The request failed in a way that says something about the whole node. Answers whether the node is now taken to be down. */
  failed(request: string, how: "down" | "suspect"): boolean {
    const wasClosed = this.#breaker.isClosed;
    this.#breaker.failed(this.#clock.monotonic(), request, how);
    const isDown = !this.#breaker.isClosed;
    if (wasClosed && isDown) this.#log("warn", "The node seems to be down; waiting for a sign of life");
    this.#wake();
    return isDown;
  }

  /** The request was given up by us before anything was learned. */
  abandoned(): void {
    this.#breaker.abandoned(this.#clock.monotonic());
    this.#wake();
  }

  /** Sends all who wait away. */
  close(reason: unknown): void {
    for (const waiter of this.#waiters.splice(0)) waiter.stop(reason);
    this.#wake();
  }

  async #pump(): Promise<void> {
    if (this.#pumping) return;
    this.#pumping = true;
    while (this.#waiters.length > 0) {
      const now = this.#clock.monotonic();
      const endsMs = this.#dismiss(now);
      const wait = this.#waitMs(now);
      if (wait <= 0) {
        const waiter = this.#waiters.shift();
        if (waiter) this.#send(now);
        waiter?.go();
      } else if (this.#waiters.length > 0) {
        await this.#rest(wait, endsMs - now);
      }
    }
    this.#pumping = false;
  }

  /** Waits until something may have changed. While a probe is out that is its end, which no clock knows. */
  async #rest(waitMs: number, endsMs: number): Promise<void> {
    const nap = new AbortController();
    this.#nap = nap;
    if (waitMs === Number.POSITIVE_INFINITY) await once(nap.signal, "abort");
    else await this.#clock.sleep(Math.ceil(Math.max(1, Math.min(waitMs, endsMs, LONGEST_NAP_MS))), nap.signal).catch(() => {});
    this.#nap = undefined;
  }

  /** Sends away those whose time is over, or everyone when the node is given up; answers when the next one's time ends. */
  #dismiss(now: number): number {
    const downMs = this.#breaker.givenUpAfterMs(now);
    if (downMs !== undefined) {
      const seconds = Math.round(downMs / 1000);
      for (const waiter of this.#waiters.splice(0)) waiter.stop(new AnswerFault("node_down", `nothing came back for ${seconds} s`));
      return now;
    }
    let ends = Number.POSITIVE_INFINITY;
    for (const waiter of [...this.#waiters]) {
      if (waiter.untilMs > now) ends = Math.min(ends, waiter.untilMs);
      else {
        this.#waiters.splice(this.#waiters.indexOf(waiter), 1);
        waiter.stop(new AnswerFault("rate_limited", "the request's turn did not come in time"));
      }
    }
    return ends;
  }

  #waitMs(now: number): number {
    const pause = this.#pausedUntilMs - now;
    return Math.max(pause, this.#breaker.waitMs(now), this.#bucketWaitMs(now));
  }

  #bucketWaitMs(now: number): number {
    if (this.#unlimited && this.#complaints === 0 && this.#pausedFromMs === Number.NEGATIVE_INFINITY) return 0;
    this.#bucket.setRate(this.#rate.perSecond(now), now);
    return this.#bucket.waitMs(now);
  }

  #send(now: number): void {
    this.#bucket.take();
    this.#breaker.sent();
    this.#windowCount += 1;
    this.#measured(now);
  }

  /** Requests a second sent lately. */
  #measured(now: number): number {
    const elapsed = now - this.#windowFromMs;
    if (elapsed >= MEASURE_MS || elapsed < 0) {
      this.#sentPerSecond = elapsed > 0 ? (this.#windowCount / elapsed) * 1000 : 0;
      this.#windowFromMs = now;
      this.#windowCount = 0;
    }
    return this.#sentPerSecond || this.#windowCount;
  }

  #wake(): void {
    this.#nap?.abort();
  }
}
