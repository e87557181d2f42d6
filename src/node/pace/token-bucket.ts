/**
 * Tokens that drip in at a steady rate up to a small store; a request takes one. In any stretch of t seconds no more than
 * rate * t + burst are taken. Pure: every question brings the time, in milliseconds on a clock whose steps back count as
 * no time at all. A rate of Infinity always has a token.
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

  /** Changes the rate from now on; tokens above the new store are lost. */
  setRate(perSecond: number, nowMs: number): void {
    this.#drip(nowMs);
    this.#perSecond = perSecond;
    this.#tokens = Math.min(this.#tokens, burstOf(perSecond));
  }

  /** Milliseconds until a token is there; 0 when one is. */
  waitMs(nowMs: number): number {
    if (this.#perSecond === Number.POSITIVE_INFINITY) return 0;
    this.#drip(nowMs);
    // A hair less than a token counts as one, else rounding would ask for a wait of no length.
    return this.#tokens > 1 - 1e-9 ? 0 : ((1 - this.#tokens) / this.#perSecond) * 1000;
  }

  /** Takes a token. Only after `waitMs` said 0. */
  take(): void {
    if (this.#perSecond !== Number.POSITIVE_INFINITY) this.#tokens -= 1;
  }

  #drip(nowMs: number): void {
    const elapsed = Math.max(0, nowMs - this.#asOfMs);
    this.#asOfMs = nowMs;
    if (this.#perSecond === Number.POSITIVE_INFINITY) return;
    this.#tokens = Math.min(burstOf(this.#perSecond), this.#tokens + (elapsed / 1000) * this.#perSecond);
  }
}

/** How many requests may go out at once after a rest: 50 ms worth, since timers are too coarse to space them closer; at least one. */
export function burstOf(perSecond: number): number {
  return perSecond === Number.POSITIVE_INFINITY ? Number.POSITIVE_INFINITY : Math.max(1, perSecond / 20);
}
