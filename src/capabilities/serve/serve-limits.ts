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
  /** The largest answer of a node that is read, packed or not. The largest real accounts are 15 MB of JSON. */
  upstreamBytes: 32 * MiB,
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
