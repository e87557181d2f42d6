/**
 * A token bucket: tokens come at a steady rate up to a small number, and a request takes one. In t seconds at most rate * t + burst
 * go. A rate of Infinity always has one. Pure: each call brings the time in milliseconds.
 */
export class TokenBucket {
  #perSecond: number;
  #tokens: number;
  #asOfMs: number;

  constructor(perSecond: number, nowMs: number) {
    this.#perSecond = perSecond;
    this.#tokens = burstOf(perSecond);
    this.#asOfMs = nowMs;
  }

  /** Changes the rate from now on; tokens above the new burst are dropped. */
  setRate(perSecond: number, nowMs: number): void {
    this.#refill(nowMs);
    this.#perSecond = perSecond;
    this.#tokens = Math.min(this.#tokens, burstOf(perSecond));
  }

  /** Milliseconds until a token is available; 0 when one is. */
  waitMs(nowMs: number): number {
    if (this.#perSecond === Number.POSITIVE_INFINITY) return 0;
    this.#refill(nowMs);
    // Rounding can leave a token a hair short, and waiting for the rest would be a wait of no length.
    return this.#tokens > 1 - 1e-9 ? 0 : ((1 - this.#tokens) / this.#perSecond) * 1000;
  }

  /** Takes a token. Only to be called after `waitMs` returned 0. */
  take(): void {
    if (this.#perSecond !== Number.POSITIVE_INFINITY) this.#tokens -= 1;
  }

  #refill(nowMs: number): void {
    const elapsed = Math.max(0, nowMs - this.#asOfMs);
    this.#asOfMs = nowMs;
    if (this.#perSecond === Number.POSITIVE_INFINITY) return;
    this.#tokens = Math.min(burstOf(this.#perSecond), this.#tokens + (elapsed / 1000) * this.#perSecond);
  }
}

/** How many requests may be sent at once after a pause: those of 50 ms, since timers cannot space them closer; at least one. */
export function burstOf(perSecond: number): number {
  return perSecond === Number.POSITIVE_INFINITY ? Number.POSITIVE_INFINITY : Math.max(1, perSecond / 20);
}
