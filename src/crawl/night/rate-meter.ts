/** Over how long a rate is measured, and how often a mark is set, in milliseconds. */
const WINDOW_MS = 10_000;
const MARK_EVERY_MS = 500;

/** Events a second over the last ten seconds, from a counter that only rises. */
export class RateMeter {
  readonly #marks: { readonly atMs: number; readonly count: number }[] = [];

  /** Records the counter's value at a time of the monotonic clock, and returns the rate. */
  measure(atMs: number, count: number): number {
    const latest = this.#marks.at(-1);
    if (latest === undefined || atMs - latest.atMs >= MARK_EVERY_MS) this.#marks.push({ atMs, count });
    // The mark just outside the window stays, so that the window is always covered.
    while (this.#marks.length > 1 && atMs - (this.#marks[1]?.atMs ?? atMs) >= WINDOW_MS) this.#marks.shift();
    const oldest = this.#marks[0];
    if (oldest === undefined || atMs <= oldest.atMs) return 0;
    return ((count - oldest.count) * 1000) / (atMs - oldest.atMs);
  }
}
