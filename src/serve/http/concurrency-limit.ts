import PQueue from "p-queue";

/**
 * Bounds work that takes long: `concurrency` tasks run at once, `maxWaiting` more wait in the order they came, and any
 * further one is refused at once, so that one client cannot hold up all others.
 */
export class ConcurrencyLimit {
  readonly #queue: PQueue;
  readonly #maxWaiting: number;

  constructor(concurrency: number, maxWaiting: number) {
    this.#queue = new PQueue({ concurrency });
    this.#maxWaiting = maxWaiting;
  }

  /** The task's result; undefined without running it when too many wait already. Rejects as the task does. */
  async run<T>(task: () => Promise<T>): Promise<T | undefined> {
    return this.#isFull() ? undefined : this.#queue.add(task);
  }

  /**
   * A place to be given back by calling the result, for work whose end is an event; undefined when too many wait already.
   * Rejects with the signal's reason when that is aborted while waiting.
   */
  async acquire(signal: AbortSignal): Promise<(() => void) | undefined> {
    if (this.#isFull()) return undefined;
    const held = Promise.withResolvers<void>();
    const granted = Promise.withResolvers<() => void>();
    const task = (): Promise<void> => {
      granted.resolve(held.resolve);
      return held.promise;
    };
    this.#queue.add(task, { signal }).catch(granted.reject);
    return granted.promise;
  }

  #isFull(): boolean {
    return this.#queue.pending >= this.#queue.concurrency && this.#queue.size >= this.#maxWaiting;
  }
}
