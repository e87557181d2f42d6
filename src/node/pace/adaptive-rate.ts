/** What is left of the rate after the node said that it was too high. */
const CUT = 0.5;
/** The share of the full rate that comes back in each second without a complaint. */
const RECOVERY_PER_SECOND = 0.01;
/** However often the node complains, one request is sent in this many seconds. */
const SLOWEST_SECONDS = 60;

/**
 * The rate allowed, in requests a second: halved when the node complains, then rising linearly to the ceiling. Without one, a
 * complaint sets it at the rate sent lately until twice that is reached. Pure: each call brings the time in milliseconds.
 */
export class AdaptiveRate {
  readonly #ceiling: number;
  #full: number;
  #rate: number;
  #asOfMs: number;

  constructor(ceilingPerSecond: number, nowMs: number) {
    this.#ceiling = ceilingPerSecond;
    this.#full = ceilingPerSecond;
    this.#rate = ceilingPerSecond;
    this.#asOfMs = nowMs;
  }

  /** The rate allowed now; Infinity for no limit. */
  perSecond(nowMs: number): number {
    const elapsed = Math.max(0, nowMs - this.#asOfMs);
    this.#asOfMs = nowMs;
    if (this.#full === Number.POSITIVE_INFINITY || this.#rate === this.#ceiling) return this.#rate;
    this.#rate += this.#full * RECOVERY_PER_SECOND * (elapsed / 1000);
    if (this.#rate >= this.#ceiling) this.#rate = this.#ceiling;
    if (this.#ceiling === Number.POSITIVE_INFINITY && this.#rate >= 2 * this.#full) {
      this.#full = Number.POSITIVE_INFINITY;
      this.#rate = Number.POSITIVE_INFINITY;
    }
    return this.#rate;
  }

  /** The node complained. `sentPerSecond` is the rate measured lately. */
  complain(nowMs: number, sentPerSecond: number): void {
    this.perSecond(nowMs);
    if (this.#full === Number.POSITIVE_INFINITY) {
      this.#full = Math.max(1, sentPerSecond);
      this.#rate = this.#full;
    }
    this.#rate = Math.max(this.#rate * CUT, Math.min(this.#rate, 1 / SLOWEST_SECONDS));
  }
}
