import { ConfigError } from "../../errors.ts";
import type { Encoding } from "../ledger-node.ts";
import { ACCEPT_ENCODING } from "./body.ts";
import { mediaTypes } from "./encodings.ts";
import { userAgent } from "./user-agent.ts";

/** Headers of a request, lower-case names. */
export type HeaderSet = Record<string, string>;

const KEY = /^[!-~]{1,4096}$/;

/** What requests say, by what they ask for. */
export type RequestHeaders = {
  /** Short answers, which packing would only make slower. */
  readonly short: Readonly<Record<Encoding, HeaderSet>>;
  /** Long ones, packed. */
  readonly long: Readonly<Record<Encoding, HeaderSet>>;
  readonly page: HeaderSet;
};

/** The headers of all requests. No `Origin`, which would change the node's error bodies (node-contract, section 1.5). Throws ConfigError. */
export function requestHeaders(options: { readonly contact?: string; readonly apiKey?: string }): RequestHeaders {
  if (options.apiKey !== undefined && !KEY.test(options.apiKey)) throw new ConfigError("The API key holds characters that a header cannot");
  const common: HeaderSet = {
    "user-agent": userAgent(options.contact),
    ...(options.apiKey === undefined ? {} : { authorization: `Bearer ${options.apiKey}` }),
  };
  const short = { ...common, "accept-encoding": "identity" };
  const long = { ...common, "accept-encoding": ACCEPT_ENCODING };
  return {
    short: { bcs: { ...short, accept: mediaTypes.bcs }, json: { ...short, accept: mediaTypes.json } },
    long: { bcs: { ...long, accept: mediaTypes.bcs }, json: { ...long, accept: mediaTypes.json } },
    page: { ...long, accept: "text/html, application/json, application/x-yaml, */*;q=0.1" },
  };
}
