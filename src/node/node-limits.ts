/** Sizes and times that bound every request to a node. All may be given to `openNode`; tests make them small. */
export type NodeLimits = {
  /** Bytes of one answer as they come over the wire. */
  readonly packedBytes: number;
  /** Bytes of one answer once unpacked. */
  readonly bodyBytes: number;
  readonly connectTimeoutMs: number;
  /** Silence before the headers, and between two pieces of the body. */
  readonly silenceTimeoutMs: number;
  /** One attempt, from sending to the last byte. */
  readonly attemptTimeoutMs: number;
  /** Attempts at one request, whatever made them fail. */
  readonly attempts: number;
  /** One request with all its attempts and waits. */
  readonly requestTimeoutMs: number;
  /** Pages of one account's modules, and modules on all of them. */
  readonly pages: number;
  readonly modules: number;
};

/**
 * The largest real account is some megabytes of JSON; where a page is larger than this, smaller ones are asked for.
 * A heavy account can make a node walk all its resources, hence the long silence that is borne.
 */
export const nodeLimits: NodeLimits = {
  packedBytes: 32 * 1024 * 1024,
  bodyBytes: 64 * 1024 * 1024,
  connectTimeoutMs: 10_000,
  silenceTimeoutMs: 30_000,
  attemptTimeoutMs: 120_000,
  attempts: 100,
  requestTimeoutMs: 3_600_000,
  pages: 20_000,
  modules: 100_000,
};
