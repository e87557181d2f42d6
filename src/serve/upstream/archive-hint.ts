import { isIP } from "node:net";

/**
 * Whether a hint to another archive may be passed on. It is text that came over the network and that clients follow by
 * themselves: only https, to a public host by name, without credentials. Addresses and names that stand for the inside of
 * somebody's network are the usual way to make a client ask what it should not.
 */
export function isHarmlessHint(text: unknown): boolean {
  if (typeof text !== "string" || text.length > 500 || !URL.canParse(text)) return false;
  const { protocol, username, password, hostname } = new URL(text);
  if (protocol !== "https:" || username !== "" || password !== "") return false;
  const host = hostname.replace(/^\[|\]$/g, "");
  const isInside = /(^|\.)(localhost|local|internal|lan|home|arpa)\.?$/.test(host);
  return isIP(host) === 0 && host.includes(".") && !isInside;
}

/** Where gateways put the hint. Source: node-contract, section 11.1. */
export const hintHeader = "x-aptos-archival-endpoint";
const HINT_FIELD = "archival_endpoint";

/** A refusal's body without a hint that is not harmless; a body that is no JSON object comes back as it is. */
export function withoutBadHint(body: Uint8Array): Uint8Array {
  const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString("utf8");
  if (!text.includes(HINT_FIELD)) return body;
  try {
    const json: unknown = JSON.parse(text);
    if (typeof json !== "object" || json === null || !(HINT_FIELD in json) || isHarmlessHint(json[HINT_FIELD])) return body;
    const { [HINT_FIELD]: _, hint: __, ...rest } = json as Record<string, unknown>;
    return Buffer.from(JSON.stringify(rest));
  } catch {
    return body;
  }
}
