import type { Socket } from "node:net";
import { MovedexError } from "../../../core/errors.ts";
import type { LedgerHead } from "../archive-head.ts";
import type { Encoding } from "./negotiation.ts";

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

/** On every answer of the API: a browser that opens it runs, loads and sends nothing, whatever the bytes are. */
export const harmless = { "content-security-policy": "default-src 'none'; sandbox", "x-content-type-options": "nosniff" } as const;

/**
 * How long caches may keep an answer: one at a sealed version asked for by number never changes (`sealed`), one about the
 * newest version or between versions may change with the next seal (`revalidate`), others are not kept (`no_store`).
 */
export type CacheRule = "sealed" | "revalidate" | "no_store";

/** What is answered, before headers are added. */
export type Answer = {
  readonly status: number;
  readonly contentType: string;
  readonly body: Uint8Array;
  readonly cacheRule: CacheRule;
  /** The source of the ledger headers; left out where a node sends none. */
  readonly head?: LedgerHead | undefined;
  readonly cursor?: string | undefined;
  /** The sealed versions that the answer was observed at: the one asked for, or the two around it that agree. */
  readonly observedAt?: readonly bigint[] | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  /** The body in an encoding that the client takes. */
  readonly packed?: { readonly encoding: Encoding; readonly body: Uint8Array };
  /** What answered, for metrics and logs, where that is not the route. */
  readonly operation?: string;
};

export function jsonBody(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value));
}

/** A JSON answer that does not depend on the ledger's state, so it carries no ledger headers. */
export function plainJson(value: unknown): Answer {
  return { status: 200, contentType: contentTypes.json, body: jsonBody(value), cacheRule: "revalidate" };
}

/**
 * An error of the API in the node's form: message, `error_code`, `vm_error_code`, in that order; the last is always null on reads. With
 * the ledger headers when the node would have looked at the ledger before raising it.
 */
export function apiError(status: number, errorCode: string, message: string, head?: LedgerHead): Answer {
  const body = jsonBody({ message, error_code: errorCode, vm_error_code: null });
  return { status, contentType: contentTypes.json, body, cacheRule: "no_store", head };
}

/** An error raised before the API is reached. Source: aptos-core `api/src/error_converter.rs`. */
export function frameworkError(status: number, message: string, headers: Readonly<Record<string, string>> = {}): Answer {
  return { ...apiError(status, "web_framework_error", message), contentType: contentTypes.frameworkJson, headers };
}

/** The service is at its limits; nothing was done for the request. Source of the wording: node-contract, section 7.2. */
export function overloaded(): Answer {
  return { ...apiError(503, "overloaded", "Server is shedding load; please retry shortly"), headers: { "retry-after": "1" } };
}

export function archiveAway(): Answer {
  const message = "Failed to retrieve latest ledger info: the database of this archive gives no answer; please retry shortly";
  return { ...apiError(503, "internal_error", message), headers: { "retry-after": "2" } };
}

const brokenRequests: Readonly<Record<string, readonly [number, string]>> = {
  HPE_HEADER_OVERFLOW: [431, "request header fields too large"],
  ERR_HTTP_REQUEST_TIMEOUT: [408, "request timeout"],
};

/** Answers what is not HTTP with one error, and closes the connection. */
export function refuseBrokenRequest({ code = "" }: NodeJS.ErrnoException, socket: Socket): void {
  if (code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const [status, message] = brokenRequests[code] ?? [400, "bad request"];
  const { contentType, body } = frameworkError(status, message);
  const headers = { "content-type": contentType, "content-length": body.length, connection: "close", ...harmless };
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${message}\r\n${head.join("")}\r\n${body}`, () => socket.destroy());
}

/** A parameter of a request that does not parse. `MOVEDEX_SERVE_PARAMETER`; the message is the node's own. */
export class ParameterError extends MovedexError {
  constructor(message: string) {
    super("MOVEDEX_SERVE_PARAMETER", message);
  }
}
