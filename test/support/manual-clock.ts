import type { Clock } from "../../src/core/base/time.ts";

type Sleeper = { readonly due: number; readonly wake: () => void };

/** A clock that stands still until told: `advance` moves it and wakes, in order, whoever is due. */
export class ManualClock implements Clock {
  #time: number;
  #sleepers: Sleeper[] = [];
  /** Every sleep that was asked for, in milliseconds, in order. */
  readonly slept: number[] = [];
  /** Called when a sleep is asked for. */
  onSleep: () => void = () => {};
  /** When set, a sleep does not wait: the clock jumps ahead at once. */
  readonly skipSleeps: boolean;

  constructor(options: { startMs?: number; skipSleeps?: boolean } = {}) {
    this.#time = options.startMs ?? 1_700_000_000_000;
    this.skipSleeps = options.skipSleeps ?? false;
  }

  /** Whole milliseconds, as a machine's clock says them. */
  readonly now = (): number => Math.floor(this.#time);
  readonly monotonic = (): number => this.#time;

  readonly sleep = (ms: number, signal?: AbortSignal): Promise<void> => {
    if (signal?.aborted) return Promise.reject(signal.reason);
    this.slept.push(ms);
    this.onSleep();
    if (this.skipSleeps) {
      this.#time += ms;
      // A turn of the event loop, so that a loop of sleeps cannot starve sockets.
      return new Promise((resolve) => setImmediate(resolve));
    }
    return new Promise((resolve, reject) => {
      const sleeper = { due: this.#time + ms, wake: resolve };
      this.#sleepers.push(sleeper);
      signal?.addEventListener("abort", () => {
        this.#sleepers = this.#sleepers.filter((s) => s !== sleeper);
        reject(signal.reason);
      });
    });
  };

  /** How many sleeps are waiting now. */
  get waiting(): number {
    return this.#sleepers.length;
  }

  /** Moves time on by `ms`, waking sleepers in the order they are due, and lets their continuations run. */
  async advance(ms: number): Promise<void> {
    const end = this.#time + ms;
    for (;;) {
      const next = this.#sleepers.filter((s) => s.due <= end).sort((a, b) => a.due - b.due)[0];
      if (!next) break;
      this.#time = Math.max(this.#time, next.due);
      this.#sleepers = this.#sleepers.filter((s) => s !== next);
      next.wake();
      await new Promise((resolve) => setImmediate(resolve));
    }
    this.#time = end;
    await new Promise((resolve) => setImmediate(resolve));
  }
}
