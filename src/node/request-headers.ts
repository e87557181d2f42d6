import { ConfigError } from "../errors.ts";
import { ACCEPT_ENCODING } from "./body.ts";
import { mediaTypes } from "./encodings.ts";
import { userAgent } from "./user-agent.ts";

/** Headers of a request, lower-case names. */
export type HeaderSet = Record<string, string>;

const KEY = /^[!-~]{1,4096}$/;

/** What every request says, by what it asks for. No `Origin`, which would change the node's error bodies (node-contract, section 1.5). */
export function requestHeaders(options: { contact?: string; apiKey?: string }): { bcs: HeaderSet; json: HeaderSet; page: HeaderSet } {
  if (options.apiKey !== undefined && !KEY.test(options.apiKey)) throw new ConfigError("The API key holds characters that a header cannot");
  const common: HeaderSet = {
    "user-agent": userAgent(options.contact),
    "accept-encoding": ACCEPT_ENCODING,
    ...(options.apiKey === undefined ? {} : { authorization: `Bearer ${options.apiKey}` }),
  };
  return {
    bcs: { ...common, accept: mediaTypes.bcs },
    json: { ...common, accept: mediaTypes.json },
    page: { ...common, accept: "text/html, application/json, application/x-yaml, */*;q=0.1" },
  };
}
