/** The bounds of the service: on its memory, and on what one client can take of it. Tests make them small. */
export type ServeLimits = {
  /** Modules of a page when the client asks for no number or for more. The node's own bound. */
  readonly pageModules: number;
  /** Bytes of a page's body, after which the page ends early with a cursor. */
  readonly pageBytes: number;
  /** Pages that are assembled or compressed at once, and that wait for it. */
  readonly pagesAtOnce: number;
  readonly pagesWaiting: number;
  /** Requests under way, from the last header to the last byte of the answer. */
  readonly requestsAtOnce: number;
  /** Bytes of answers that clients have not read yet; a body sent to several clients counts once. */
  readonly deliveryBytes: number;
  /** The time a client may take to read an answer: `answerMs`, plus its size at this rate. */
  readonly answerMs: number;
  readonly answerBytesPerSecond: number;
  readonly connections: number;
  readonly headerBytes: number;
  /** From a connection's first byte to a request's last header. */
  readonly headersMs: number;
  /** How long a connection may stay open between two requests. */
  readonly idleMs: number;
  /** Requests to the node behind at once, and waiting for a place. */
  readonly upstreamRequests: number;
  readonly upstreamWaiting: number;
  /** How long the node may take to answer, waiting for a connection included; of a body above `upstreamBytes`, for its beginning. */
  readonly upstreamMs: number;
  /** Bytes of the node's answer that are held back until it is whole. */
  readonly upstreamBytes: number;
  /** How long the start waits for the node to say which chain it is of. */
  readonly startMs: number;
  /** Cache sizes in bytes: modules as JSON, listings, pages, and small answers as they are sent. */
  readonly moduleCacheBytes: number;
  readonly listingCacheBytes: number;
  readonly pageCacheBytes: number;
  readonly answerCacheBytes: number;
  /** How long answers under way may still take when the service stops. */
  readonly stopMs: number;
};

const MiB = 1024 * 1024;

/** The defaults. A page of the whole framework account is 2 to 3 MiB of JSON. */
export const serveLimits: ServeLimits = {
  pageModules: 9999,
  pageBytes: 8 * MiB,
  pagesAtOnce: 2,
  pagesWaiting: 64,
  requestsAtOnce: 1024,
  deliveryBytes: 48 * MiB,
  answerMs: 15_000,
  answerBytesPerSecond: 64 * 1024,
  connections: 2000,
  headerBytes: 16 * 1024,
  headersMs: 10_000,
  // Proxies and load balancers keep idle connections for 60 s, and must not send on one that was just closed here.
  idleMs: 75_000,
  upstreamRequests: 64,
  upstreamWaiting: 64,
  upstreamMs: 10_000,
  upstreamBytes: MiB,
  startMs: 1000,
  moduleCacheBytes: 24 * MiB,
  listingCacheBytes: 4 * MiB,
  pageCacheBytes: 32 * MiB,
  answerCacheBytes: 16 * MiB,
  stopMs: 10_000,
};
