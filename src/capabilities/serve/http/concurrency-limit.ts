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

/** Why work was not done: its client has enough under way and waiting, or all clients together have. */
type Refused = "client" | "all";

/** Limits long work and shares it fairly: each client has one job at a time, and its next one waits behind those of other clients. */
export class FairPlaces {
  readonly #all: ConcurrencyLimit;
  readonly #waitingOfOne: number;
  readonly #clients = new Map<string, { readonly limit: ConcurrencyLimit; tasks: number }>();

  constructor(places: number, waiting: number, waitingOfOne: number) {
    this.#all = new ConcurrencyLimit(places, waiting);
    this.#waitingOfOne = waitingOfOne;
  }

  /** The task's result, or why it was not run. Rejects as the task does. */
  async run<T extends object>(client: string, task: () => Promise<T>): Promise<T | Refused> {
    const own = this.#clients.get(client) ?? { limit: new ConcurrencyLimit(1, this.#waitingOfOne), tasks: 0 };
    this.#clients.set(client, own);
    own.tasks += 1;
    try {
      return (await own.limit.run(async () => (await this.#all.run(task)) ?? "all")) ?? "client";
    } finally {
      own.tasks -= 1;
      if (own.tasks === 0) this.#clients.delete(client);
    }
  }
}
