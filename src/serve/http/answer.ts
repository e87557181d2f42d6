import type { Readable } from "node:stream";
import type { ArchiveHead } from "../../archive/read/archive-head.ts";

/** The content types of a node's answers, character for character. Source: aptos-core `api/types/src/mime_types.rs`, `api/src/spec.rs`. */
export const contentTypes = {
  json: "application/json; charset=utf-8",
  /** Of errors raised before the API: an unknown path, a parameter that does not parse. */
  frameworkJson: "application/json",
  bcs: "application/x-bcs",
  html: "text/html; charset=utf-8",
  yaml: "application/x-yaml",
  metrics: "text/plain; version=0.0.4; charset=utf-8",
} as const;

/** The two formats in which the ledger's data is answered. */
export type BodyFormat = "json" | "bcs";

/** What goes over the wire. `operation` is a short name for metrics and logs. */
export type Response = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | Readable;
  readonly operation: string;
};

/**
 * How long caches may keep an answer: one at a sealed version asked for by number never changes (`sealed`), one about the
 * newest version or between versions may change with the next seal (`revalidate`), others are not kept (`no_store`).
 */
export type CacheRule = "sealed" | "revalidate" | "no_store";

/** What the archive answers, before headers are added and the body is compressed. */
export type Answer = {
  readonly status: number;
  readonly contentType: string;
  readonly body: Uint8Array;
  readonly cacheRule: CacheRule;
  /** The source of the ledger headers; left out where a node sends none. */
  readonly head?: ArchiveHead;
  readonly cursor?: string;
  /** The sealed versions that the answer was observed at: the one asked for, or the two around it that agree. */
  readonly observedAt?: readonly bigint[];
  readonly headers?: Readonly<Record<string, string>>;
};

export function jsonBody(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value));
}

/** A JSON answer that does not depend on the ledger's state, so it carries no ledger headers. */
export function plainJson(value: unknown, cacheRule: CacheRule = "revalidate"): Answer {
  return { status: 200, contentType: contentTypes.json, body: jsonBody(value), cacheRule };
}
