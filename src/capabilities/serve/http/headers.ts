import type { FastifyReply, FastifyRequest } from "fastify";
import type { Headers } from "../../../core/node/protocol/ledger-head.ts";
import type { LedgerHead } from "../archive-head.ts";
import { contentTypes, frameworkError } from "./answer.ts";

/** The two spellings of each ledger header: that of real nodes, and that of the specification. */
const headerPrefixes = ["x-aptos-", "x-node-"] as const;

/** The names of the ledger headers without their prefix, the cursor last. */
const ledgerHeaderNames = [
  "chain-id",
  "ledger-version",
  "ledger-oldest-version",
  "ledger-timestampusec",
  "epoch",
  "block-height",
  "oldest-block-height",
  "cursor",
] as const;

/** The headers that say where an answer comes from. */
export const sourceHeaders = {
  /** `archive` or `upstream`. */
  source: "x-movedex-source",
  /** The sealed versions that an answer of the archive was observed at: one, or the two around the version asked for. */
  observedAt: "x-movedex-observed-at",
  /** `true` on an answer that was not observed at the version asked for, but inferred from the observations around it. */
  inferred: "x-movedex-inferred",
  /** On an error for lack of a version: the nearest sealed versions that have an answer about the account. */
  nearestHeld: "x-movedex-nearest-held",
} as const;

/** What an answer's bytes and headers depend on besides the URL. */
export const VARY = "Origin, Accept, Accept-Encoding";

/** The seven headers about the ledger, in both spellings. Source: aptos-core `api/types/src/headers.rs`. */
export function ledgerHeaders(head: LedgerHead): Record<string, string> {
  const values = [head.chainId, head.newest, head.oldest, head.timestampUsec, head.epoch, head.blockHeight, head.oldestBlockHeight];
  return Object.fromEntries(values.flatMap((value, i) => headerPrefixes.map((prefix) => [prefix + ledgerHeaderNames[i], String(value)])));
}

/** The cursor of the next page, in both spellings. */
export function cursorHeaders(cursor: string): Record<string, string> {
  return Object.fromEntries(headerPrefixes.map((prefix) => [`${prefix}cursor`, cursor]));
}

/** All headers that say something of the ledger or of an answer's source. */
export const toldHeaders = [
  ...headerPrefixes.flatMap((prefix) => ledgerHeaderNames.map((name) => prefix + name)),
  ...Object.values(sourceHeaders),
];

/**
 * The headers that pages of another origin may read. Named one by one, since browsers take `*` literally for requests
 * with credentials, and the official SDK sends all of its requests so.
 */
const exposedHeaders = [...toldHeaders, "etag", "retry-after"].join(", ");

const ORIGIN = /^[!-~]{1,300}$/;
const HEADER_NAMES = /^[A-Za-z0-9!#$%&'*+.^_`|~, -]{1,1000}$/;

/**
 * Hook of the API's routes: any origin may read the answers, and preflights are answered, as a node does (node-contract, section
 * 1.5). Unlike a node it exposes the headers, the cursor among them.
 */
export function allowAnyOrigin(request: FastifyRequest, reply: FastifyReply, done: () => void): void {
  const { method, headers } = request;
  const { origin } = headers;
  reply.header("vary", "Origin");
  const isShared = origin !== undefined && ORIGIN.test(origin);
  if (isShared)
    reply.headers({
      "access-control-allow-origin": origin,
      "access-control-allow-credentials": "true",
      "access-control-expose-headers": exposedHeaders,
    });
  if (isShared && method === "OPTIONS") answerPreflight(request, reply);
  else done();
}

function answerPreflight({ headers }: FastifyRequest, reply: FastifyReply): void {
  reply.operation = "preflight";
  reply.headers({ "x-movedex-source": "archive", "x-content-type-options": "nosniff", "cache-control": "no-store" });
  const wanted = headers["access-control-request-method"];
  if (wanted !== "GET" && wanted !== "HEAD") {
    const { status, contentType, body } = frameworkError(403, "CORS request forbidden");
    reply.code(status).headers({ "content-type": contentType }).send(body);
    return;
  }
  const asked = headers["access-control-request-headers"];
  reply
    .code(200)
    .headers({
      "content-type": contentTypes.html,
      "access-control-allow-methods": "GET,HEAD",
      "access-control-max-age": "86400",
      ...(typeof asked === "string" && HEADER_NAMES.test(asked) ? { "access-control-allow-headers": asked } : {}),
    })
    .send(Buffer.alloc(0));
}

const CLIENT = "x-aptos-client";
const PRINTABLE = /^[ -~]{1,1000}$/;

/** Of a client's headers the one that names its SDK; never a credential, a cookie or an address. */
export function headersToNode(headers: Headers): Record<string, string> {
  const client = headers[CLIENT];
  return typeof client === "string" && PRINTABLE.test(client) ? { [CLIENT]: client } : {};
}
