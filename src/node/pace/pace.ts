import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import { AnswerFault } from "../answers/answer-fault.ts";
import type { Patience } from "../answers/error-classes.ts";
import { AdaptiveRate } from "./adaptive-rate.ts";
import { Breaker, type BreakerLimits } from "./breaker.ts";
import { WaitingLine } from "./rate-gate.ts";
import { backoffMs, clampRetryAfter } from "./retry-wait.ts";
import { TokenBucket } from "./token-bucket.ts";

/** Over how long the rate that is really sent is measured. */
const MEASURE_MS = 5000;

/**
 * When the next request may go to the node: one line behind the rate, a pause that all share after the node complained,
 * and the breaker. Whoever had a turn tells what came of it: `answered`, `complained`, `failed` or `abandoned`.
 */
export class Pace {
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #log: Log;
  readonly #rate: AdaptiveRate;
  readonly #bucket: TokenBucket;
  readonly #breaker: Breaker;
  readonly #line: WaitingLine;
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
    this.#rate = new AdaptiveRate(perSecond, now);
    this.#bucket = new TokenBucket(perSecond, now);
    this.#breaker = new Breaker(options.breaker);
    this.#windowFromMs = now;
    this.#line = new WaitingLine(
      { waitMs: (at) => this.#waitMs(at), pass: (at) => this.#pass(at), closedFor: (at) => this.#closedFor(at) },
      options.clock,
    );
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
    return this.#line.join(untilMs, signal);
  }

  /** Whether whoever just had a turn has the one that tells if the node is alive. */
  get isProbing(): boolean {
    return this.#breaker.isProbing;
  }

  /** The node answered, with data or with a plain refusal. */
  answered(sentAtMs: number): void {
    this.#breaker.answered();
    if (sentAtMs >= this.#pausedUntilMs) this.#complaints = 0;
    this.#line.wake();
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
    this.#line.wake();
  }

  /** The request failed in a way that says something about the whole node. Answers whether the node is now taken to be down. */
  failed(request: string, how: "down" | "suspect"): boolean {
    const wasClosed = this.#breaker.isClosed;
    this.#breaker.failed(this.#clock.monotonic(), request, how);
    const isDown = !this.#breaker.isClosed;
    if (wasClosed && isDown) this.#log("warn", "The node seems to be down; waiting for a sign of life");
    this.#line.wake();
    return isDown;
  }

  /** The request was given up by us before anything was learned. */
  abandoned(): void {
    this.#breaker.abandoned(this.#clock.monotonic());
    this.#line.wake();
  }

  /** Sends all who wait away. */
  close(reason: unknown): void {
    this.#line.dismiss(reason);
  }

  #waitMs(now: number): number {
    const perSecond = this.#rate.perSecond(now);
    this.#bucket.setRate(perSecond, now);
    return Math.max(this.#pausedUntilMs - now, this.#breaker.waitMs(now), this.#bucket.waitMs(now));
  }

  #pass(now: number): void {
    this.#bucket.take();
    this.#breaker.sent();
    this.#windowCount += 1;
    this.#measured(now);
  }

  #closedFor(now: number): AnswerFault | undefined {
    const downMs = this.#breaker.givenUpAfterMs(now);
    return downMs === undefined ? undefined : new AnswerFault("node_down", `nothing came back for ${Math.round(downMs / 1000)} s`);
  }

  /** Requests a second sent lately. */
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
