import { type Credentials, parseBaseUrl, redactor, requestHeaders, secretsOf } from "../../../core/node/http/base-url.ts";
import { nodeLimits } from "../../../core/node/http/body.ts";
import type { ProxySettings } from "../../../core/node/http/connections.ts";
import { openTransport, type RawAnswer } from "../../../core/node/http/transport.ts";

/** Shorter parts of an encoded secret occur everywhere. */
const FORM_LENGTH_MIN = 4;

/**
 * Tells whether bytes hold a secret: as it is, in hex, base64 (also as a part of what was encoded) or decimal bytes, and any of these
 * behind escapes, broken into lines, in UTF-16, or in other letter case.
 */
function secretFinder(secrets: readonly string[]): (bytes: Uint8Array) => boolean {
  const forms = secrets.flatMap(formsOf).map((form) => form.toLowerCase());
  const wanted = new Set([...forms, ...forms.map(bare)].filter((form) => form !== ""));
  return (bytes) => {
    if (wanted.size === 0) return false;
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1").toLowerCase();
    const plain = bare(text);
    // In hex, programs write marks between bytes: `53:65`, `0x53, 0x65`.
    const seen = [text, plain, plain.replace(/0x|[^0-9a-f]/g, "")];
    return [...wanted].some((form) => seen.some((view) => view.includes(form)));
  };
}

/** A secret, and how encoders write it: in base64 there are three ways, by the number of bytes that come ahead of it. */
function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const packed = [0, 1, 2].map((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes]).toString("base64");
    return text.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6));
  });
  const encoded = [bytes.toString("hex"), bytes.join(), ...packed, ...packed.map((text) => text.replaceAll("+", "-").replaceAll("/", "_"))];
  return [secret, ...encoded.filter((form) => form.length >= FORM_LENGTH_MIN)];
}

// Repeated escapes (`\\\\u0041`, `%252541`, `&amp;amp;`) are undone at once. What has a name, or a letter, goes with what it stands for.
const NUMBERS = /(?:\\+(?:u00|x)|%(?:25)*|=|&(?:amp;)*#x0*)([0-9a-f]{2});?|&(?:amp;)*#0*([0-9]{1,3});/g;
const NAMES = /&(?:amp;)*(?:(?:lt|gt|quot|apos);)?|\\+[nrt]?|[\s\0<>"']/g;

/** What is left of a text in lower case without escapes. Only for comparing: it may be the same though two texts differ. */
function bare(text: string): string {
  const round = (rest: string): string =>
    rest
      .replace(NUMBERS, (_, hex?: string, decimal?: string) => String.fromCharCode(hex ? Number.parseInt(hex, 16) : Number(decimal)))
      .toLowerCase()
      .replace(NAMES, "");
  return round(round(text));
}

export type ForwarderOptions = Credentials & {
  readonly url: string;
  readonly contact?: string | undefined;
  /** Requests under way at one time; further ones wait. */
  readonly connections: number;
  /** How long the node may be silent before the headers and between two pieces of the body. */
  readonly silenceMs: number;
  readonly proxies?: ProxySettings;
  /** The largest answer that is read, packed or not. The largest real accounts are 15 MB of JSON. */
  readonly answerBytes?: number;
};

/**
 * Opens a forwarder. Redirects are answers like any other and are not followed, so the credential goes to this node alone.
 * Nothing is sent yet. @throws ConfigError for a node's or a proxy's address that is none
 */
export function openForwarder(options: ForwarderOptions) {
  const url = parseBaseUrl(options.url);
  const { common } = requestHeaders(options);
  const { connections, silenceMs, proxies, answerBytes = nodeLimits.wireBytes } = options;
  const connectTimeoutMs = Math.min(nodeLimits.connectTimeoutMs, silenceMs);
  const limits = { ...nodeLimits, connectTimeoutMs, silenceTimeoutMs: silenceMs, wireBytes: answerBytes, bodyBytes: answerBytes };
  const { get, close } = openTransport(url, connections, limits, proxies);

  return {
    /** The node's base URL, without secrets. */
    url: url.shown,
    /** Whether bytes hold the node's credential, in any encoding that programs write texts in. */
    holdsSecret: secretFinder(secretsOf(url, options)),
    redact: redactor(url, options),
    /**
     * @param path what follows the node's base URL, query included: `/accounts/0x1?ledger_version=7` @param headers of the request;
     * the node's credential and our User-Agent are added @throws AnswerFault when no whole answer comes
     */
    get: (path: string, headers: Readonly<Record<string, string>>, signal: AbortSignal): Promise<RawAnswer> =>
      get(url.path + path, { ...headers, ...common }, signal),
    close,
  };
}

export type Forwarder = ReturnType<typeof openForwarder>;
