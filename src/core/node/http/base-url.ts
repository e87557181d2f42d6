import { packageVersion } from "../../base/files.ts";
import { printable } from "../../base/printable.ts";
import { sha256Hex } from "../../base/sha256.ts";
import { ConfigError } from "../../errors.ts";
import { type Encoding, mediaTypes } from "../protocol/ledger-head.ts";
import { ACCEPT_ENCODING } from "./body.ts";

export type BaseUrl = ReturnType<typeof parseBaseUrl>;

// Some providers put the customer's key into the path. What it looks like is theirs to choose; only these words are no keys.
const NO_KEY = /^(?:v\d{1,2}|api|rpc|rest|aptos|movement|mainnet|testnet|devnet)$/i;
// Of a host name, only what nobody would give a machine: a UUID, or sixteen letters and digits of both kinds in a row.
const KEY_LABEL = /^(?=.*\d)(?=.*[a-z])(?:.*[a-z\d]{16}.*|[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})$/;
const KEY_LIKE = /^(?=.*\d)[A-Za-z0-9_-]{20,}$/;

/** Digits of the hash that stands for a part of a path: enough to tell two nodes apart, and too few to find the part by. */
const HASH_DIGITS = 8;

const NAME = /^[\p{L}\p{N}][\p{L}\p{N} .:_/-]{0,99}$/u;

/**
 * Text to a node's base URL. `/v1` is added when the path is empty, since a node's root is a page for browsers. `name` is shown and
 * stored in its place. Throws ConfigError.
 */
export function parseBaseUrl(text: string, name?: string) {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || (url.protocol !== "http:" && url.protocol !== "https:")) {
    throw new ConfigError(`The node's URL must look like https://host/v1, not \`${printable(text, 80)}\``);
  }
  if (url.username !== "" || url.password !== "") {
    throw new ConfigError(
      "The node's URL must not hold a user name or password. Set MOVEDEX_BASIC_AUTH to user:password instead, or an API key in MOVEDEX_API_KEY",
    );
  }
  if (url.search !== "" || url.hash !== "") throw new ConfigError("The node's URL must have no `?` and no `#`");
  const trimmed = url.pathname.replace(/\/+$/, "");
  const path = trimmed === "" ? "/v1" : trimmed;
  if (name !== undefined && !NAME.test(name))
    throw new ConfigError(`A node's name has 1 to 100 letters, digits, blanks and . : _ / -, unlike \`${printable(name, 120)}\``);
  const shownPath = path.replace(/[^/]+/g, (part) => (NO_KEY.test(part) ? part : hashOf(part)));
  const labels = url.hostname.split(".").filter((label) => KEY_LABEL.test(label));
  const shownOrigin = labels.reduce((origin, label) => origin.replace(label, hashOf(label)), url.origin);
  return {
    /** `https://host:port` */
    origin: url.origin,
    /** The path before `/accounts`, without a slash at its end: `/v1`. */
    path,
    /** How messages, logs and the database show it: by the operator's name, or with a hash for each part that may be a key. */
    shown: name ?? shownOrigin + shownPath,
    /** Parts of the path and the host name that can hardly be anything but keys. */
    secrets: [...labels, ...path.split("/").filter((part) => KEY_LIKE.test(part))],
    /** Whether what is sent can be read by others: plain HTTP to another machine. */
    isOpen: url.protocol === "http:" && !isLoopback(url),
  };
}

export function isLoopback({ hostname }: URL): boolean {
  return /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
}

function hashOf(part: string): string {
  return `…${sha256Hex(part).slice(0, HASH_DIGITS)}`;
}

/** What is sent to a node to say who asks: a key, or `user:password`. */
export type Credentials = { readonly apiKey?: string | undefined; readonly basicAuth?: string | undefined };

/** What is sent to a node, as it is and as it is sent, and the keys in its address. */
export function secretsOf({ secrets }: BaseUrl, { apiKey, basicAuth }: Credentials): readonly string[] {
  const password = basicAuth?.slice(basicAuth.indexOf(":") + 1) ?? "";
  const basic = basicAuth ? [basicAuth, Buffer.from(basicAuth).toString("base64"), ...(password.length < 4 ? [] : [password])] : [];
  return [...(apiKey ? [apiKey] : []), ...basic, ...secrets];
}

/** What takes the secrets out of a text, such as a failure's words. */
export function redactor(url: BaseUrl, credentials: Credentials): (text: string) => string {
  const hidden = secretsOf(url, credentials);
  return (text) => hidden.reduce((rest, secret) => rest.replaceAll(secret, "…"), text);
}

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
