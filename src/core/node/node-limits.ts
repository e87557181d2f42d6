/**
 * Sizes and times that bound every request to a node. `openNode` takes others; tests make them small. The largest real accounts are 15 MB
 * of JSON; the ABIs of 1,889 real modules are 848,022 values in 12.8 MB, 8 deep. A node walks all resources to list modules, so it may be
 * silent for long.
 */
export const nodeLimits = {
  /** Bytes of one answer as they come over the wire. */
  wireBytes: 32 * 1024 * 1024,
  /** Bytes of one answer once decompressed. */
  bodyBytes: 64 * 1024 * 1024,
  /** Values and depth of one answer in JSON, checked before it is parsed. */
  json: { values: 2_000_000, depth: 64 },
  connectTimeoutMs: 10_000,
  /** Silence before the headers, and between two pieces of the body. */
  silenceTimeoutMs: 30_000,
  /** One attempt, from sending to the last byte. */
  attemptTimeoutMs: 120_000,
  /** Attempts at one request, whatever made them fail. */
  attempts: 100,
  /** One request with all its attempts and waits. */
  requestTimeoutMs: 3_600_000,
  /** Pages of one account's modules, and modules on all of them. */
  pages: 20_000,
  modules: 100_000,
};

export type NodeLimits = Readonly<typeof nodeLimits>;
