import type { Headers } from "../../node/protocol/ledger-head.ts";
import { headerPrefixes, ledgerHeaderNames, sourceHeaders, VARY } from "../http/ledger-headers.ts";
import { hintHeader, isSafeHint } from "./archive-hint.ts";

const toNode = ["accept", "accept-encoding", "x-aptos-client"];
const toClient = ["content-type", "content-encoding", "content-length", "content-disposition", "retry-after", "etag", "last-modified"];
const PRINTABLE = /^[ -~]{1,1000}$/;

/** Of a client's headers those that say how the answer may be written; never a credential, a cookie or an address. */
export function handedOn(headers: Headers): Record<string, string> {
  const picked: Record<string, string> = { "accept-encoding": "identity" };
  for (const name of toNode) {
    const value = headers[name];
    if (typeof value === "string" && PRINTABLE.test(value)) picked[name] = value;
  }
  return picked;
}

/** Of a node's headers those that describe the body, and the ledger headers in both spellings. */
export function passOn(headers: Headers): Record<string, string> {
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
