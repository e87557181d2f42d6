import type { RateTold } from "./rate-headers.ts";

/** What was told, and how many requests had been sent by then. */
type Sample = { readonly remaining: number; readonly resetAtMs: number; readonly sent: number };

/** Resets are told in whole seconds: two answers speak of one window when theirs are less than this apart. */
const SAME_WINDOW_MS = 1000;

/**
 * The rate that a server's own words leave: what remains of its limit spread over the time until the reset. A unit may be less
 * than a request: what one costs is measured by how fast the rest shrinks, which counts other clients of the same limit as well.
 * Nothing told ever raises the rate that was asked for. Pure: every call brings the time in milliseconds.
 */
export class ToldRate {
  #last: Sample | undefined;
  #unitsPerRequest = 1;
  #sent = 0;

  /** A request was sent. */
  sent(): void {
    this.#sent += 1;
  }

  /** An answer said what is left. Returns until when all have to wait; undefined when nothing has to. */
  tell({ remaining, resetMs }: RateTold, nowMs: number): number | undefined {
    const resetAtMs = nowMs + resetMs;
    const last = this.#last;
    const isSame = last !== undefined && Math.abs(last.resetAtMs - resetAtMs) < SAME_WINDOW_MS;
    // Answers overtake each other: the one that knows of fewer requests is the older.
    if (isSame && remaining > last.remaining) return undefined;
    if (isSame && this.#sent > last.sent && remaining < last.remaining)
      this.#unitsPerRequest = Math.max(1, (last.remaining - remaining) / (this.#sent - last.sent));
    this.#last = { remaining, resetAtMs, sent: this.#sent };
    return remaining < this.#unitsPerRequest ? resetAtMs : undefined;
  }

  /** Requests a second that are left; Infinity where nothing was told, or its window is over. */
  perSecond(nowMs: number): number {
    if (this.#last === undefined || nowMs >= this.#last.resetAtMs) return Number.POSITIVE_INFINITY;
    const { remaining, resetAtMs, sent } = this.#last;
    const left = remaining / this.#unitsPerRequest - (this.#sent - sent);
    return Math.max(left, 1) / ((resetAtMs - nowMs) / 1000);
  }
}
