import type { ServerResponse } from "node:http";
import PQueue from "p-queue";

const MiB = 1024 * 1024;

/** The bounds of the service: on its memory, and on what one client can take of it. */
export const serveLimits = {
  /** Modules of a page when the client asks for no number or for more. The node's own bound. */
  pageModules: 9999,
  /** Bytes of a page's body, after which the page ends early with a cursor. A page of the whole framework account is 2 to 3 MiB. */
  pageBytes: 8 * MiB,
  /** Pages that are assembled or compressed at once, and that wait for it. */
  pagesAtOnce: 2,
  pagesWaiting: 64,
  /** Requests in work, from the last header until the answer is there; until its last byte where that is made as it is taken. */
  requestsAtOnce: 1024,
  /** How long a client may take none of an answer's bytes, and how long the whole answer. */
  stalledMs: 15_000,
  answerMs: 150_000,
  /** Large bodies that clients are taking, in bytes. Beyond it those that were asked for longest ago are cut off. */
  unsentBytes: 256 * MiB,
  connections: 10_000,
  /** Requests of one connection, which is closed with the last answer. It bounds what a client sends ahead of its answers. */
  requestsOfConnection: 100,
  headerBytes: 16 * 1024,
  /** From a connection's beginning, or a further request's first byte, to the last header. */
  headersMs: 10_000,
  /**
   * How long a connection may stay open between two requests. Proxies and load balancers keep idle connections for 60 s, and must not send
   * on one that was just closed here.
   */
  idleMs: 75_000,
  /** Requests to the node behind at once, until their answers are made, and waiting for a place. */
  upstreamRequests: 8,
  upstreamWaiting: 120,
  /** How long the node may take for a whole answer. */
  upstreamMs: 30_000,
  /** How long the start waits for the node to say which chain it is of. */
  startMs: 1000,
  /**
   * Cache sizes in bytes: pages of modules, and small answers as they are sent. The largest page has to fit into a quarter with its
   * compressed forms: all who ask for it then share one body.
   */
  pageCacheBytes: 72 * MiB,
  answerCacheBytes: 16 * MiB,
  /** How long answers under way may still take when the service stops. */
  stopMs: 10_000,
};

/** Other values than `serveLimits`: tests make them small. */
export type ServeLimits = Readonly<typeof serveLimits>;

/** A least-recently-used cache bounded by bytes. A value larger than a quarter of the bound is not stored: it would evict the rest. */
export function byteCache<V>(limitBytes: number) {
  const entries = new Map<string, { readonly value: V; readonly bytes: number }>();
  let held = 0;
  const take = (key: string) => {
    const entry = entries.get(key);
    if (entries.delete(key)) held -= entry?.bytes ?? 0;
    return entry;
  };
  const set = (key: string, value: V, bytes: number): void => {
    take(key);
    if (bytes > limitBytes / 4) return;
    entries.set(key, { value, bytes });
    held += bytes;
    for (const oldest of entries.keys()) {
      if (held <= limitBytes) break;
      take(oldest);
    }
  };
  return {
    set,
    get: (key: string): V | undefined => {
      const entry = take(key);
      if (entry !== undefined) set(key, entry.value, entry.bytes);
      return entry?.value;
    },
    clear: (): void => {
      entries.clear();
      held = 0;
    },
  };
}

export type Limit = ReturnType<typeof concurrencyLimit>;

/**
 * Bounds work that takes long: `concurrency` tasks run at once, `maxWaiting` more wait in the order they came, and any
 * further one is refused at once, so that one client cannot hold up all others.
 */
export function concurrencyLimit(concurrency: number, maxWaiting: number) {
  const queue = new PQueue({ concurrency });
  /**
   * The task's result; undefined without running it when too many wait already. Rejects as the task does, and with the signal's reason
   * when that is aborted.
   */
  return async <T>(task: () => Promise<T>, signal?: AbortSignal): Promise<T | undefined> =>
    queue.pending >= concurrency && queue.size >= maxWaiting ? undefined : queue.add(task, { signal });
}

/** Limits long work and shares it fairly: each client has one job at a time, and its next one waits behind those of other clients. */
export function fairPlaces(places: number, waiting: number, waitingOfOne: number) {
  const ofAll = concurrencyLimit(places, waiting);
  const clients = new Map<string, { readonly limit: Limit; tasks: number }>();
  /** The task's result, or who has enough under way and waiting: its client, or all together. Rejects as the task does. */
  return async <T extends object>(client: string, task: () => Promise<T>): Promise<T | "client" | "all"> => {
    const own = clients.get(client) ?? { limit: concurrencyLimit(1, waitingOfOne), tasks: 0 };
    clients.set(client, own);
    own.tasks += 1;
    try {
      return (await own.limit(async () => (await ofAll(task)) ?? "all")) ?? "client";
    } finally {
      own.tasks -= 1;
      if (own.tasks === 0) clients.delete(client);
    }
  };
}

/** Smaller bodies may share memory with others, and are not counted: as many as there are connections take 320 MiB. */
const LARGE_BYTES = Buffer.poolSize / 2;

/**
 * Makes a list of the large bodies that clients are taking: each is one in memory, however many take it. A body that is added shows who
 * has to go to keep to the bound: those whose body was asked for longest ago.
 */
export function unsentBodies(most: number) {
  const takers = new Map<ArrayBufferLike, Set<ServerResponse>>();
  return ({ buffer: memory, length }: Buffer, response: ServerResponse): readonly ServerResponse[] => {
    if (length < LARGE_BYTES) return [];
    const responses = (takers.get(memory) ?? new Set()).add(response);
    takers.delete(memory);
    takers.set(memory, responses);
    response.once("close", () => {
      responses.delete(response);
      if (responses.size === 0 && takers.get(memory) === responses) takers.delete(memory);
    });
    let bytes = [...takers.keys()].reduce((sum, { byteLength }) => sum + byteLength, 0);
    const late: ServerResponse[] = [];
    for (const [oldest, others] of takers) {
      if (bytes <= most || oldest === memory) break;
      takers.delete(oldest);
      bytes -= oldest.byteLength;
      late.push(...others);
    }
    return late;
  };
}
