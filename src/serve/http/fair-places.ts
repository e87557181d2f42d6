import { ConcurrencyLimit } from "./concurrency-limit.ts";

/** Why work was not done: its client has enough under way and waiting, or all clients together have. */
export type Refused = "client" | "all";

/** Bounds work that takes long, and lets no client take the places of others: each has one at a time, and waits for its next behind theirs. */
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
