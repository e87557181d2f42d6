import type { JsonBounds } from "../base/json.ts";

/** Sizes and times that bound every request to a node. `openNode` takes others; tests make them small. */
export type NodeLimits = {
  /** Bytes of one answer as they come over the wire. */
  readonly wireBytes: number;
  /** Bytes of one answer once decompressed. */
  readonly bodyBytes: number;
  /** Values and depth of one answer in JSON, checked before it is parsed. */
  readonly json: JsonBounds;
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
 * The largest real accounts are 15 MB of JSON; the ABIs of 1,889 real modules are 848,022 values in 12.8 MB, 8 deep. A node walks
 * all resources to list modules, so it may be silent for long.
 */
export const nodeLimits: NodeLimits = {
  wireBytes: 32 * 1024 * 1024,
  bodyBytes: 64 * 1024 * 1024,
  json: { values: 2_000_000, depth: 64 },
  connectTimeoutMs: 10_000,
  silenceTimeoutMs: 30_000,
  attemptTimeoutMs: 120_000,
  attempts: 100,
  requestTimeoutMs: 3_600_000,
  pages: 20_000,
  modules: 100_000,
};
