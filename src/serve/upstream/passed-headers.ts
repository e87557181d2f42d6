import { isIP } from "node:net";
import type { Headers } from "../../node/protocol/ledger-head.ts";
import { headerPrefixes, ledgerHeaderNames, sourceHeaders, VARY } from "../http/ledger-headers.ts";

const toNode = ["accept", "accept-encoding", "x-aptos-client"];
const toClient = ["content-type", "content-encoding", "content-length", "content-disposition", "retry-after", "etag", "last-modified"];
const PRINTABLE = /^[ -~]{1,1000}$/;

/** Of a client's headers those that say how the answer may be written; never a credential, a cookie or an address. */
export function headersToNode(headers: Headers): Record<string, string> {
  const picked: Record<string, string> = { "accept-encoding": "identity" };
  for (const name of toNode) {
    const value = headers[name];
    if (typeof value === "string" && PRINTABLE.test(value)) picked[name] = value;
  }
  return picked;
}

/** Of a node's headers those that describe the body, and the ledger headers in both spellings. */
export function headersFromNode(headers: Headers): Record<string, string> {
  const picked: Record<string, string> = {};
  const take = (to: string, from: string): void => {
    const value = headers[from];
    if (typeof value === "string" && picked[to] === undefined) picked[to] = value;
  };
  for (const name of toClient) take(name, name);
  for (const name of ledgerHeaderNames) {
    for (const to of headerPrefixes) for (const from of [to, ...headerPrefixes]) take(to + name, from + name);
  }
  if (isSafeHint(headers[hintHeader])) take(hintHeader, hintHeader);
  // The node may be an archive itself: what it inferred must not pass for observed.
  take(sourceHeaders.observedAt, sourceHeaders.observedAt);
  take(sourceHeaders.inferred, sourceHeaders.inferred);
  return { ...picked, vary: VARY, [sourceHeaders.source]: "upstream", "x-content-type-options": "nosniff" };
}

/**
 * Whether a hint to another archive may be passed on: only https to a public host by name, without credentials. Clients follow it
 * by themselves, so one into an internal network would attack it.
 */
export function isSafeHint(text: unknown): boolean {
  if (typeof text !== "string" || text.length > 500 || !URL.canParse(text)) return false;
  const { protocol, username, password, hostname } = new URL(text);
  if (protocol !== "https:" || username !== "" || password !== "") return false;
  const host = hostname.replace(/^\[|\]$/g, "");
  const isInternal = /(^|\.)(localhost|local|internal|lan|home|arpa)\.?$/.test(host);
  return isIP(host) === 0 && host.includes(".") && !isInternal;
}

/** The header in which gateways put the hint. Source: node-contract, section 11.1. */
const hintHeader = "x-aptos-archival-endpoint";
const HINT_FIELD = "archival_endpoint";

export function withoutUnsafeHint(body: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  if (!(HINT_FIELD in body) || isSafeHint(body[HINT_FIELD])) return body;
  const { [HINT_FIELD]: _, hint: __, ...rest } = body;
  return rest;
}
