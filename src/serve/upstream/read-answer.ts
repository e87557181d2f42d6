import type { Readable } from "node:stream";
import { printable } from "../../base/printable.ts";
import { decompressBody } from "../../node/http/body.ts";
import type { ForwardedAnswer } from "../../node/http/forwarder.ts";
import type { Headers } from "../../node/protocol/ledger-head.ts";
import { headersFromNode, withoutUnsafeHint } from "./passed-headers.ts";

/** A node's answer that says nothing about what was asked, so that an archive may answer instead. */
export type Refusal = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The fields of the error's body; `message`, `error_code` and `vm_error_code` are always there. */
  readonly body: Readonly<Record<string, unknown>>;
  /** What it means, in our words. */
  readonly why: string;
  /** The node's own trouble, such as overload or a refused key; false for pruned and unknown versions. */
  readonly isTrouble: boolean;
};

const GONE = 410;
const NOT_FOUND = 404;
/** The operator's credential is refused: none of a client's business. Source: node-contract, sections 7.2 and 11.1. */
const FORBIDDEN = new Set([401, 403]);
/** Trouble that has nothing to do with the request: too many requests, and all that says that the node cannot answer now. */
const TROUBLE = new Set([408, 425, 429, 500, 502, 503, 504]);

/** The content types of a node's data; a gateway's page has another. */
const DATA = /^application\/(?:json|x-bcs)\b/i;
const UNKNOWN_VERSION = "the node does not have that version";

/** Errors are some hundred bytes; a body that is larger is data. */
const ERROR_BYTES = 4096;
const REFUSAL_BYTES = 64 * 1024;

/** A node's answer once it is known what it is: an error that an archive may stand in for, or a body to pass on as it came. */
export type ReadAnswer = { readonly refusal: Refusal } | { readonly body: Buffer | Readable };

export type Reading = {
  /** Takes the operator's credential out of a text. */
  readonly redact: (text: string) => string;
  /** How large a body may be that is read to its end before anything of it is passed on. */
  readonly bytes: number;
};

/**
 * Reads an answer to its end, or the beginning of one too large, so that a broken one is found out in time. Small bodies of
 * status 200 may be errors too (node-contract, section 7.2). Rejects as the body does.
 */
export async function readAnswer(answer: ForwardedAnswer, method: string, { redact, bytes }: Reading): Promise<ReadAnswer> {
  const { status, headers, body } = answer;
  if (status === 200 && !DATA.test(String(headers["content-type"]))) {
    return { refusal: refusalOf(502, {}, undefined, "the server is not a ledger node", true) };
  }
  if (status === 200 || status === NOT_FOUND) {
    // What a node says in a HEAD's 404 is not known; an archive that holds the version knows better.
    if (method === "HEAD") return status === 200 ? { body } : { refusal: refusalOf(status, headers, undefined, UNKNOWN_VERSION, false) };
    return readData(answer, { redact, bytes });
  }
  if (FORBIDDEN.has(status)) {
    const why = `the node refuses this service (status ${status})`;
    return { refusal: refusalOf(503, {}, undefined, why, true) };
  }
  if (status !== GONE && !TROUBLE.has(status)) return { body: await beginningOf(body, bytes) };
  const fields = errorFields(await wholeBody(body, headers), redact);
  return status === GONE
    ? { refusal: refusalOf(status, headers, fields, "the node has pruned that version", false) }
    : { refusal: refusalOf(status, headers, fields, `the node is in trouble (status ${status})`, true) };
}

/** A body of status 200 or 404: small ones are looked at, others passed on. */
async function readData({ status, headers, body }: ForwardedAnswer, { redact, bytes: limit }: Reading): Promise<ReadAnswer> {
  const bytes = await beginningOf(body, limit);
  if (!Buffer.isBuffer(bytes)) return { body };
  if (isCutJson(bytes, headers)) return { refusal: refusalOf(502, {}, undefined, "the node's answer is cut off", true) };
  if (bytes.length > ERROR_BYTES) return { body: bytes };
  const plain = (await decompress(bytes, headers).catch(() => bytes)).toString("latin1");
  if (redact(plain) !== plain) return { refusal: refusalOf(502, {}, undefined, "the node repeats this service's credential", true) };
  const fields = errorFields(plain, redact);
  if (status === NOT_FOUND && fields?.["error_code"] === "version_not_found") {
    return { refusal: refusalOf(status, headers, fields, UNKNOWN_VERSION, false) };
  }
  if (status === 200 && fields !== undefined) return { refusal: refusalOf(500, headers, fields, "the node answered with an error", true) };
  return { body: bytes };
}

/** A whole body; or, of one above the limit, the stream that still gives all of it. Rejects as the stream does. */
async function beginningOf(body: Readable, limit: number): Promise<Buffer | Readable> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes <= limit) continue;
    body.unshift(Buffer.concat(chunks));
    return body;
  }
  return Buffer.concat(chunks);
}

/** Whether JSON ends otherwise than it began: a length that is too small, or a cut that a proxy tidied up. */
function isCutJson(bytes: Buffer, headers: Headers): boolean {
  if (headers["content-encoding"] !== undefined || !String(headers["content-type"]).startsWith("application/json")) return false;
  const text = `${bytes.subarray(0, 1)}${bytes.subarray(-1)}`;
  return text !== "{}" && text !== "[]";
}

function refusalOf(
  status: number,
  headers: Headers,
  fields: Readonly<Record<string, unknown>> | undefined,
  why: string,
  isTrouble: boolean,
): Refusal {
  const { "content-encoding": _, "content-length": __, etag: ___, ...rest } = headersFromNode(headers);
  const body = { message: why, error_code: "internal_error", vm_error_code: null, ...withoutUnsafeHint(fields ?? {}) };
  return { status, headers: { ...rest, "content-type": "application/json; charset=utf-8" }, body, why, isTrouble };
}

async function wholeBody(body: Readable, headers: Headers): Promise<string> {
  const bytes = await beginningOf(body, REFUSAL_BYTES);
  if (!Buffer.isBuffer(bytes)) {
    body.destroy();
    throw new Error(`an error of more than ${REFUSAL_BYTES} bytes`);
  }
  return (await decompress(bytes, headers)).toString("utf8");
}

async function decompress(packed: Uint8Array, headers: Headers): Promise<Buffer> {
  const encoding = headers["content-encoding"];
  const plain = await decompressBody(packed, typeof encoding === "string" ? encoding : undefined, REFUSAL_BYTES);
  return Buffer.from(plain.buffer, plain.byteOffset, plain.byteLength);
}

/** The fields of a body that is an error in the node's form; undefined for anything else. */
function errorFields(body: string, redact: (text: string) => string): Readonly<Record<string, unknown>> | undefined {
  if (!body.startsWith("{") || !body.includes('"error_code"')) return undefined;
  try {
    const json: unknown = JSON.parse(redact(body));
    if (typeof json !== "object" || json === null || !("error_code" in json) || typeof json.error_code !== "string") return undefined;
    const { message } = json as { message?: unknown };
    return { ...json, message: typeof message === "string" ? printable(message, 2000) : "", vm_error_code: null };
  } catch {
    return undefined;
  }
}
