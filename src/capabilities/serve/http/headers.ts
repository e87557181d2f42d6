import type { Headers } from "../../../core/node/protocol/ledger-head.ts";
import type { LedgerHead } from "../archive-head.ts";

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

const CLIENT = "x-aptos-client";
const PRINTABLE = /^[ -~]{1,1000}$/;

/** Of a client's headers the one that names its SDK; never a credential, a cookie or an address. */
export function headersToNode(headers: Headers): Record<string, string> {
  const client = headers[CLIENT];
  return typeof client === "string" && PRINTABLE.test(client) ? { [CLIENT]: client } : {};
}
