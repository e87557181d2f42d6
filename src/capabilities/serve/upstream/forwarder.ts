import type { Readable } from "node:stream";
import { type Credentials, parseBaseUrl, redactor, requestHeaders, secretsOf } from "../../../core/node/http/base-url.ts";
import { nodeLimits } from "../../../core/node/http/body.ts";
import { openConnections, type ProxySettings } from "../../../core/node/http/connections.ts";
import { transportFault } from "../../../core/node/http/transport.ts";
import type { Headers } from "../../../core/node/protocol/ledger-head.ts";
import { NodeError } from "../../../core/node/protocol/node-error.ts";

/** Escapes of one kind within another. What is still escaped after so many rounds was written to hide something. */
const ROUNDS_MAX = 5;

/** Shorter parts of an encoded secret occur everywhere. */
const FORM_LENGTH_MIN = 4;

/**
 * Tells whether bytes hold a secret: as it is, in hex (also byte by byte: `53:65`, `0x53, 0x65`), base64 (also as a part of what was
 * encoded) or decimal bytes, and any of these behind escapes, broken into lines, in UTF-16, or in other letter case.
 */
function secretFinder(secrets: readonly string[]): (bytes: Uint8Array) => boolean {
  const plain = secrets.flatMap(formsOf).map((form) => form.toLowerCase());
  const wanted = [...new Set([...plain, ...plain.map((form) => rounds(form).at(-1) as string)])].filter((form) => form !== "");
  const apart = secrets.map(hexApart).filter((pattern) => pattern !== undefined);
  return (bytes) => {
    if (wanted.length === 0) return false;
    const texts = rounds(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1").toLowerCase());
    if (texts.length > ROUNDS_MAX || texts.some((text) => wanted.some((form) => text.includes(form)))) return true;
    return apart.some((pattern) => pattern.test(texts.at(-1) as string));
  };
}

/** A secret, and how encoders write it. */
function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const packed = [0, 1, 2].map((before) => base64Inside(bytes, before));
  const encoded = [bytes.toString("hex"), bytes.join(), ...packed, ...packed.map((text) => text.replaceAll("+", "-").replaceAll("/", "_"))];
  return [secret, ...encoded.filter((form) => form.length >= FORM_LENGTH_MIN)];
}

/** A secret in hex with anything between its bytes that programs write there. A search, since a body without such marks costs a copy. */
function hexApart(secret: string): RegExp | undefined {
  const hex = Buffer.from(secret).toString("hex");
  return hex.length < FORM_LENGTH_MIN ? undefined : new RegExp(hex.replace(/..(?!$)/g, `$&(?:0x|[:,'"-])*`));
}

/** The characters that bytes become within any base64 in which `before` bytes (modulo 3) come ahead of them. */
function base64Inside(bytes: Buffer, before: number): string {
  const text = Buffer.concat([Buffer.alloc(before), bytes]).toString("base64");
  return text.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6));
}

/** A text in lower case, and what is left of it each time that its escapes are undone, until it stays as it is. */
function rounds(text: string): string[] {
  const texts = [text];
  while (texts.length <= ROUNDS_MAX) {
    const last = texts.at(-1) as string;
    const next = last.replace(BLANKS, "").replace(ESCAPES, undo);
    if (next === last) break;
    texts.push(next);
  }
  return texts;
}

// Only for comparing: what is left of two texts may be the same though they differ. Repeated escapes (`\\\\u0041`, `%252541`, `&amp;amp;`)
// are undone at once, so that the rounds are few and the time is in proportion to the text.
const BLANKS = /[\s\0]+/g;
const ESCAPES = new RegExp(
  [
    String.raw`\\+(?:u([0-9a-f]{4})|x([0-9a-f]{2})|[nrt])?`,
    "%(?:25)*([0-9a-f]{2})|=([0-9a-f]{2})",
    "&(?:amp;)*(?:#x([0-9a-f]{1,6});|#([0-9]{1,7});|(lt|gt|quot|apos);)|&(?:amp;)+",
  ].join("|"),
  "g",
);
const ENTITIES: Readonly<Record<string, string>> = { lt: "<", gt: ">", quot: '"', apos: "'" };
const CODE_POINT_MAX = 0x10_ffff;

function undo(all: string, ...groups: readonly (string | undefined)[]): string {
  const [unicode, byte, percent, printed, hex, decimal, entity] = groups;
  const digits = unicode ?? byte ?? percent ?? printed ?? hex;
  if (digits !== undefined || decimal !== undefined) {
    const point = digits === undefined ? Number(decimal) : Number.parseInt(digits, 16);
    return point > CODE_POINT_MAX ? "" : String.fromCodePoint(point).toLowerCase();
  }
  if (entity !== undefined) return ENTITIES[entity] as string;
  return all.startsWith("&") ? "&" : "";
}

/** A node's answer to a forwarded request, unchanged and still compressed. Its body has to be read or destroyed. */
export type ForwardedAnswer = { readonly status: number; readonly headers: Headers; readonly body: Readable };

export type ForwarderOptions = Credentials & {
  readonly url: string;
  readonly contact?: string | undefined;
  /** Requests under way at one time; further ones wait. */
  readonly connections: number;
  /** How long the node may be silent before the headers and between two pieces of the body. */
  readonly silenceMs: number;
  readonly proxies?: ProxySettings;
};

/**
 * Opens a forwarder. Redirects are answers like any other and are not followed, so the credential goes to this node alone.
 * Nothing is sent yet. @throws ConfigError for a node's or a proxy's address that is none
 */
export function openForwarder(options: ForwarderOptions) {
  const url = parseBaseUrl(options.url);
  const { common } = requestHeaders(options);
  const { connections, silenceMs, proxies } = options;
  const connectTimeoutMs = Math.min(nodeLimits.connectTimeoutMs, silenceMs);
  const { dispatcher } = openConnections(url, { connections, silenceMs, connectTimeoutMs, bodyBytes: nodeLimits.wireBytes }, proxies);
  const redact = redactor(url, options);

  return {
    /** The node's base URL, without secrets. */
    url: url.shown,
    /** Whether bytes hold the node's credential, in any encoding that programs write texts in. */
    holdsSecret: secretFinder(secretsOf(url, options)),
    /**
     * @param path what follows the node's base URL, query included: `/accounts/0x1?ledger_version=7` @param headers of the request;
     * the node's credential and our User-Agent are added @throws NodeError when no answer begins
     */
    forward: async (
      method: "GET" | "HEAD",
      path: string,
      headers: Readonly<Record<string, string>>,
      signal: AbortSignal,
    ): Promise<ForwardedAnswer> => {
      try {
        const answer = await dispatcher.request({
          origin: url.origin,
          method,
          path: url.path + path,
          headers: { ...headers, ...common },
          signal,
        });
        // A destroyed body emits an error, and one without a listener would end the process.
        answer.body.on("error", () => undefined);
        return { status: answer.statusCode, headers: answer.headers, body: answer.body };
      } catch (error) {
        if (signal.aborted) throw signal.reason;
        throw new NodeError(transportFault(error), { url: url.shown + path, attempts: 1, redact });
      }
    },
    close: (): Promise<void> => dispatcher.destroy(),
  };
}

export type Forwarder = ReturnType<typeof openForwarder>;
