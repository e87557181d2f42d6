import type { Headers } from "../../../core/node/protocol/ledger-head.ts";
import { headerPrefixes, ledgerHeaderNames, sourceHeaders } from "../http/headers.ts";

const CLIENT = "x-aptos-client";
const PRINTABLE = /^[ -~]{1,1000}$/;

/** Of a client's headers the one that names its SDK; never a credential, a cookie or an address. */
export function headersToNode(headers: Headers): Record<string, string> {
  const client = headers[CLIENT];
  return typeof client === "string" && PRINTABLE.test(client) ? { [CLIENT]: client } : {};
}

const NUMBER = /^[0-9]{1,20}$/;
/** What a header of a node may look like; one that does not is left out. Cursors are hex, so that they need no encoding. */
const forms: Readonly<Record<string, RegExp>> = {
  ...Object.fromEntries(ledgerHeaderNames.map((name) => [name, name === "cursor" ? /^[0-9A-Za-z._~-]{1,4096}$/ : NUMBER])),
  // Seconds or a date.
  "retry-after": /^[0-9A-Za-z:, ]{1,40}$/,
  // The node may be an archive itself: what it inferred must not pass for observed.
  [sourceHeaders.observedAt]: /^[0-9]{1,20}(?:, [0-9]{1,20})?$/,
  [sourceHeaders.inferred]: /^true$/,
};

/** Of a node's headers the ledger headers, in both spellings, and how long to wait. */
export function headersFromNode(headers: Headers): Record<string, string> {
  const picked: Record<string, string> = {};
  const take = (to: string, from: string, form: string): void => {
    const value = headers[from];
    if (typeof value === "string" && picked[to] === undefined && forms[form]?.test(value)) picked[to] = value;
  };
  for (const name of ledgerHeaderNames) {
    for (const to of headerPrefixes) for (const from of [to, ...headerPrefixes]) take(to + name, from + name, name);
  }
  for (const name of ["retry-after", sourceHeaders.observedAt, sourceHeaders.inferred]) take(name, name, name);
  return { ...picked, [sourceHeaders.source]: "upstream" };
}
