import { isIP } from "node:net";

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
export const hintHeader = "x-aptos-archival-endpoint";
const HINT_FIELD = "archival_endpoint";

export function withoutUnsafeHint(body: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  if (!(HINT_FIELD in body) || isSafeHint(body[HINT_FIELD])) return body;
  const { [HINT_FIELD]: _, hint: __, ...rest } = body;
  return rest;
}
