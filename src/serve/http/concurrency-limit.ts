/** A few turns at work that takes long, and a bounded queue for them, so that no client can put all others off. */
export class Turns {
  readonly #atOnce: number;
  readonly #mostWaiting: number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(atOnce: number, mostWaiting: number) {
    this.#atOnce = atOnce;
    this.#mostWaiting = mostWaiting;
  }

  /** Does the work when its turn comes; undefined at once when too many wait already. */
  async take<T>(work: () => Promise<T>): Promise<T | undefined> {
    if (this.#running >= this.#atOnce) {
      if (this.#waiting.length >= this.#mostWaiting) return undefined;
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    } else this.#running += 1;
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      // Whoever waited longest takes over the place, so that nobody can slip in between.
      if (next === undefined) this.#running -= 1;
      else next();
    }
  }
}
