import type { ServerResponse } from "node:http";
import PQueue from "p-queue";

/** A least-recently-used cache bounded by bytes. A value larger than a quarter of the bound is not stored: it would evict the rest. */
export class ByteCache<V> {
  readonly #limit: number;
  readonly #entries = new Map<string, { readonly value: V; readonly bytes: number }>();
  #bytes = 0;

  constructor(limitBytes: number) {
    this.#limit = limitBytes;
  }

  /** Bytes held, as the callers of `set` counted them. */
  get bytes(): number {
    return this.#bytes;
  }

  get(key: string): V | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry.value;
  }

  set(key: string, value: V, bytes: number): void {
    this.#remove(key);
    if (bytes > this.#limit / 4) return;
    this.#entries.set(key, { value, bytes });
    this.#bytes += bytes;
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes <= this.#limit) return;
      this.#remove(oldest);
    }
  }

  clear(): void {
    this.#entries.clear();
    this.#bytes = 0;
  }

  #remove(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    this.#bytes -= entry.bytes;
  }
}

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

/** Smaller bodies may share memory with others, and are not counted: as many as there are connections take 320 MiB. */
const LARGE_BYTES = Buffer.poolSize / 2;

/** Makes a list of the large bodies that clients are taking. Each counts once, however many take it, until the last of them has it. */
export function unsentBodies(most: number) {
  const takers = new Map<ArrayBufferLike, Set<ServerResponse>>();
  let bytes = 0;
  const forget = (memory: ArrayBufferLike): void => {
    takers.delete(memory);
    bytes -= memory.byteLength;
  };
  return {
    /** Adds a body that a client begins to take. @returns who has to go to keep to the bound: those whose body was asked for longest ago */
    add: ({ buffer: memory, length }: Buffer, response: ServerResponse): readonly ServerResponse[] => {
      if (length < LARGE_BYTES) return [];
      const responses = (takers.get(memory) ?? new Set()).add(response);
      if (takers.delete(memory)) bytes -= memory.byteLength;
      takers.set(memory, responses);
      bytes += memory.byteLength;
      response.once("close", () => {
        responses.delete(response);
        if (responses.size === 0 && takers.get(memory) === responses) forget(memory);
      });
      const late: ServerResponse[] = [];
      for (const [oldest, others] of takers) {
        if (bytes <= most || oldest === memory) break;
        forget(oldest);
        late.push(...others);
      }
      return late;
    },
  };
}
