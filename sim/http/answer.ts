import type { IncomingHttpHeaders } from "node:http";
import type { NodeView } from "../ledger/view.ts";
import type { BodyFormat } from "./negotiation.ts";

/** A request as it came over the wire: the path and query undecoded, header names in lower case. */
export type SimRequest = {
  readonly method: string;
  /** Path and query as sent, e.g. `/v1/accounts/0x1/modules?limit=7`. */
  readonly target: string;
  readonly headers: Readonly<IncomingHttpHeaders>;
};

export type Answer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** Whether the node's compression reaches it: successes only. */
  readonly compressible: boolean;
  /** Says what the body is, for the cache of compressed forms; without it nothing is cached. */
  readonly cacheKey?: string;
};

export const contentTypes = {
  json: "application/json; charset=utf-8",
  frameworkJson: "application/json",
  bcs: "application/x-bcs",
  html: "text/html; charset=utf-8",
  text: "text/plain; charset=utf-8",
} as const;

export type HeadView = Pick<NodeView, "info" | "settings">;

/**
 * The seven headers that describe the node's head at this moment, bare decimals, and the cursor where there is one.
 * Source: aptos-core `api/types/src/headers.rs`, `api/src/response.rs`.
 */
export function ledgerHeaders({ info, settings }: HeadView, cursor?: string): Record<string, string> {
  const values = {
    "chain-id": String(info.chainId),
    "ledger-version": info.head.toString(),
    "ledger-oldest-version": info.oldest.toString(),
    "ledger-timestampusec": info.timestampUsec.toString(),
    epoch: info.epoch.toString(),
    "block-height": info.blockHeight.toString(),
    "oldest-block-height": info.oldestBlockHeight.toString(),
    ...(cursor === undefined ? {} : { cursor }),
  };
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(values)) {
    if (settings.headerSpelling !== "node") headers[`x-aptos-${name}`] = value;
    if (settings.headerSpelling !== "aptos") headers[`x-node-${name}`] = value;
  }
  return headers;
}

/** Data under the ledger headers. */
export function success(view: HeadView, format: BodyFormat, body: Uint8Array, cursor?: string): Answer {
  return withoutHead(contentTypes[format], body, ledgerHeaders(view, cursor));
}

/** A successful answer outside of what the ledger headers belong to. */
export function withoutHead(contentType: string, body: Uint8Array, headers: Answer["headers"] = {}): Answer {
  return { status: 200, headers: { "content-type": contentType, ...headers }, body, compressible: true };
}

/** A body that is JSON text. */
export function jsonBody(value: unknown): Uint8Array {
  return Buffer.from(JSON.stringify(value));
}
