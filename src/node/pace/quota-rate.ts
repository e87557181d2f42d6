import type { Quota } from "./rate-headers.ts";

/** A quota that an answer gave, and how many requests had been sent by then. */
type Sample = { readonly remaining: number; readonly resetAtMs: number; readonly sent: number };

/** Resets come in whole seconds: two answers are of one window when theirs are less than this apart. */
const SAME_WINDOW_MS = 1000;

/**
 * The rate that a server's quota leaves: what remains of it, spread over the time until the reset. A request may cost several units;
 * how many is measured by how fast the quota shrinks. Pure: every call brings the time in milliseconds.
 */
export class QuotaRate {
  #last: Sample | undefined;
  #unitsPerRequest = 1;
  #sent = 0;

  sent(): void {
    this.#sent += 1;
  }

  /** Takes the quota of an answer. Returns until when all requests have to wait; undefined when none has to. */
  observe({ remaining, resetMs }: Quota, nowMs: number): number | undefined {
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

  /** Requests a second that are left; Infinity without a quota, or after its window. */
  perSecond(nowMs: number): number {
    if (this.#last === undefined || nowMs >= this.#last.resetAtMs) return Number.POSITIVE_INFINITY;
    const { remaining, resetAtMs, sent } = this.#last;
    const left = remaining / this.#unitsPerRequest - (this.#sent - sent);
    return Math.max(left, 1) / ((resetAtMs - nowMs) / 1000);
  }
}
