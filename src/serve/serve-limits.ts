/** What bounds the service: its memory, and what one client can take of it. Tests make them small. */
export type ServeLimits = {
  /** Modules of a page, when the client asks for none or for more. The node's own bound. */
  readonly pageModules: number;
  /** Bytes of a page's body, after which it ends early; its cursor says where to go on. */
  readonly pageBytes: number;
  /** Pages that are put together at once, and that wait for their turn. */
  readonly pagesAtOnce: number;
  readonly pagesWaiting: number;
  /** Requests under way, from their last header to the last byte of the answer. */
  readonly requestsAtOnce: number;
  /** Bytes of answers that clients have not taken yet; an answer that several take counts once. */
  readonly unsentBytes: number;
  /** What a client may take for an answer: so long at least, and longer by its size at this rate. */
  readonly answerMs: number;
  readonly answerBytesPerSecond: number;
  readonly connections: number;
  /** Bytes of a request's line and headers. */
  readonly headerBytes: number;
  /** From a connection's first byte to a request's last header. */
  readonly headersMs: number;
  readonly idleMs: number;
  /** Bytes kept of modules' JSON, of listings, of pages, of small answers as they are sent. */
  readonly moduleCacheBytes: number;
  readonly listingCacheBytes: number;
  readonly pageCacheBytes: number;
  readonly answerCacheBytes: number;
  /** What is under way when the service stops has so long to end. */
  readonly stopMs: number;
};

const MiB = 1024 * 1024;

/** A page of the whole framework account is 2 to 3 MiB of JSON. */
export const serveLimits: ServeLimits = {
  pageModules: 9999,
  pageBytes: 8 * MiB,
  pagesAtOnce: 2,
  pagesWaiting: 64,
  requestsAtOnce: 1024,
  unsentBytes: 48 * MiB,
  answerMs: 15_000,
  answerBytesPerSecond: 64 * 1024,
  connections: 2000,
  headerBytes: 16 * 1024,
  headersMs: 10_000,
  idleMs: 20_000,
  moduleCacheBytes: 24 * MiB,
  listingCacheBytes: 4 * MiB,
  pageCacheBytes: 32 * MiB,
  answerCacheBytes: 16 * MiB,
  stopMs: 10_000,
};
