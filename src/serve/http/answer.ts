import type { Readable } from "node:stream";
import type { ArchiveHead } from "../../store/read/serving.ts";
import { contentTypes } from "./content-types.ts";

/** A request as it came over the wire: path and query undecoded, names of headers in lower case. */
export type ServeRequest = {
  readonly method: string;
  /** Path and query as sent: `/v1/accounts/0x1/modules?limit=7`. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Calls back when the client goes away before it was answered. */
  readonly onGone?: (callback: () => void) => void;
};

/** What is sent. `operation` is a short name for metrics and logs. */
export type Response = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | Readable;
  readonly operation: string;
};

/** A request to its response. Never throws for what a client sent. */
export type Responder = (request: ServeRequest) => Response | Promise<Response>;

/** How long an answer holds: a sealed version's for ever, one about the newest until something new is sealed, others not. */
export type Keeping = "for_ever" | "until_sealed" | "never";

/** What the archive says to a request, before it is dressed in headers, packed and sent. */
export type Answer = {
  readonly status: number;
  readonly contentType: string;
  readonly body: Uint8Array;
  readonly keeping: Keeping;
  /** The ledger headers are made from it; answers that a node gives without them have none. */
  readonly head?: ArchiveHead;
  readonly cursor?: string;
  /** The sealed versions that the answer was observed at: the one asked for, or the two around it that agree. */
  readonly observedAt?: readonly bigint[];
  readonly headers?: Readonly<Record<string, string>>;
};

/** A value as the body of an answer. */
export function jsonBody(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value));
}

/** An answer that is JSON and has nothing to do with the ledger's state. */
export function plainJson(value: unknown, keeping: Keeping = "until_sealed"): Answer {
  return { status: 200, contentType: contentTypes.json, body: jsonBody(value), keeping };
}
