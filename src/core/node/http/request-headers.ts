import { packageVersion } from "../../base/files.ts";
import { ConfigError } from "../../errors.ts";
import { type Encoding, mediaTypes } from "../protocol/ledger-head.ts";
import type { Credentials } from "./base-url.ts";
import { ACCEPT_ENCODING } from "./body.ts";

const PRINTABLE = /^[ -~]{1,200}$/;

/** The User-Agent: `movedex/<version>`, and in brackets how the user of movedex can be reached. Throws ConfigError. */
export function userAgent(contact: string | undefined): string {
  const version = packageVersion();
  if (contact === undefined) return `movedex/${version}`;
  if (!PRINTABLE.test(contact)) throw new ConfigError("The contact for the User-Agent must be plain ASCII text of at most 200 characters");
  return `movedex/${version} (+${contact})`;
}

/** Headers of a request, lower-case names. */
type HeaderSet = Record<string, string>;

const KEY = /^[!-~]{1,4096}$/;

/**
 * The headers of all requests: those that say who asks, and those of short and long answers in each encoding. No `Origin`, which
 * changes the node's error bodies (node-contract, section 1.5). Throws ConfigError.
 */
export function requestHeaders({ contact, apiKey, basicAuth }: Credentials & { readonly contact?: string | undefined }) {
  if (apiKey !== undefined && !KEY.test(apiKey)) throw new ConfigError("The API key contains characters that an HTTP header cannot carry");
  if (basicAuth !== undefined && !/^[^:]*:/.test(basicAuth)) throw new ConfigError("MOVEDEX_BASIC_AUTH must look like user:password");
  const common: HeaderSet = {
    "user-agent": userAgent(contact),
    ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
    ...(basicAuth === undefined ? {} : { authorization: `Basic ${Buffer.from(basicAuth).toString("base64")}` }),
  };
  const inEach = (acceptEncoding: string): Readonly<Record<Encoding, HeaderSet>> => {
    const headers = { ...common, "accept-encoding": acceptEncoding };
    return { bcs: { ...headers, accept: mediaTypes.bcs }, json: { ...headers, accept: mediaTypes.json } };
  };
  // Compression would only make short answers slower.
  return { common, short: inEach("identity"), long: inEach(ACCEPT_ENCODING) };
}
