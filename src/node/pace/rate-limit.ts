/** What is left of the rate after the node said that it was too high. */
const CUT = 0.5;
/** The share of the full rate that comes back in each second without a complaint. */
const RECOVERY_PER_SECOND = 0.01;
/** However often the node complains, one request is sent in this many seconds. */
const SLOWEST_SECONDS = 60;
/** Requests that are due within this time may go together, since timers cannot space them closer. */
const TOGETHER_MS = 50;
/** Over how long the rate of requests sent is measured. */
const MEASURE_MS = 5000;

/**
 * Spaces requests evenly at a rate, which a complaint halves and which then rises to the full rate in a straight line. In any t seconds
 * at most rate × t + max(1, rate / 20) requests go. Without a limit, a complaint sets one at half the rate sent lately, until twice
 * that rate is reached. Pure: each call brings the time of a monotonic clock in milliseconds.
 */
export class RateLimit {
  readonly #full: number;
  #slowed: { readonly perSecond: number; readonly full: number; readonly atMs: number } | undefined;
  #dueMs = Number.NEGATIVE_INFINITY;
  #lastMs = 0;
  /** Requests sent, those of the past weighing less. */
  #recent = 0;

  /** Infinity for no limit. */
  constructor(perSecond: number) {
    this.#full = perSecond;
  }

  /** Requests a second allowed now; Infinity for no limit. */
  perSecond(nowMs: number): number {
    if (this.#slowed === undefined) return this.#full;
    const { perSecond, full, atMs } = this.#slowed;
    const risen = perSecond + (full * RECOVERY_PER_SECOND * (nowMs - atMs)) / 1000;
    if (risen < Math.min(this.#full, 2 * full)) return risen;
    this.#slowed = undefined;
    return this.#full;
  }

  /** Milliseconds until a request may be sent: 0 for now. */
  waitMs(nowMs: number): number {
    return Math.max(0, this.#dueMs - nowMs);
  }

  /** A request is sent. Only to be called after `waitMs` returned 0. */
  take(nowMs: number): void {
    const spacingMs = 1000 / this.perSecond(nowMs);
    this.#dueMs = Math.max(this.#dueMs, nowMs - Math.max(0, TOGETHER_MS - spacingMs)) + spacingMs;
    this.#recent = this.#recentAt(nowMs) + 1;
    this.#lastMs = nowMs;
  }

  /** The node wants fewer requests. */
  complain(nowMs: number): void {
    const sent = Math.max(1, (this.#recentAt(nowMs) * 1000) / MEASURE_MS);
    const full = Number.isFinite(this.#full) ? this.#full : (this.#slowed?.full ?? sent);
    const rate = Math.min(this.perSecond(nowMs), full);
    this.#slowed = { perSecond: Math.min(rate, Math.max(rate * CUT, 1 / SLOWEST_SECONDS)), full, atMs: nowMs };
  }

  #recentAt(nowMs: number): number {
    return this.#recent * Math.exp((this.#lastMs - nowMs) / MEASURE_MS);
  }
}
