import type { JsonBounds } from "../../base/json.ts";
import { LEDGER_VERSION_MAX, parseU64 } from "../../base/numbers.ts";
import { printable } from "../../base/printable.ts";
import type { Clock } from "../../base/time.ts";
import type { RawAnswer } from "../http/transport.ts";
import { recogniseError } from "../protocol/error-classes.ts";
import {
  type Answer,
  canFollow,
  firstOf,
  type Headers,
  isInferred,
  isPossible,
  type LedgerHead,
  mediaTypes,
  type ObservedHead,
  readCursor,
  readLedgerHead,
} from "../protocol/ledger-head.ts";
import { AnswerFault, PROXY_CREDENTIALS, parseRetryAfter, SPEAKS_TLS } from "../protocol/node-error.ts";
import { parseJsonBody } from "./shapes.ts";

/** An error body is a few hundred bytes; of a page that a gateway sends in its place the beginning is enough. */
const READ_BYTES_MAX = 64 * 1024;
const OLDEST_IN_TEXT = /min available version is (\d+)/;

export function mediaType(headers: Headers): string {
  const given = headers["content-type"];
  // A gateway may repeat it.
  const value = Array.isArray(given) && new Set(given).size === 1 ? given[0] : given;
  return typeof value === "string" ? (value.split(";", 1)[0] as string).trim().toLowerCase() : "";
}

/** Whether an answer is a page, by its content type or its first letter. */
function isHtml({ headers, body }: RawAnswer): boolean {
  return mediaType(headers) === "text/html" || body[0] === 0x3c;
}

/** Whether parsed JSON is the node's error body, which may come under any status. */
export function isErrorBody(json: unknown): boolean {
  return typeof json === "object" && json !== null && "error_code" in json;
}

/** The fault of an answer that is not data: its kind by the table of failures, and what the answer says about it. */
export function errorAnswer(answer: RawAnswer, head: LedgerHead | undefined, nowMs: number): AnswerFault {
  const { status, headers } = answer;
  const html = isHtml(answer);
  const body = readErrorBody(answer.body);
  const kind = recogniseError({ status, errorCode: body.errorCode, message: body.message, html });
  const oldestVersion = kind === "pruned" ? readOldestVersion(body.message, head) : undefined;
  const retryAfterMs = parseRetryAfter(firstOf(headers["retry-after"]), firstOf(headers["date"]), nowMs);
  const { errorCode, vmErrorCode } = body;
  const known = { status, errorCode, vmErrorCode, oldestVersion, retryAfterMs };
  const found = kind === "wrong_protocol" ? `status ${status}: ${SPEAKS_TLS}` : describe(answer, body, html);
  return new AnswerFault(kind, found, known);
}

function describe({ status, headers }: RawAnswer, body: ErrorBody, html: boolean): string {
  if (status >= 300 && status < 400) {
    const location = firstOf(headers["location"]);
    if (location === undefined)
      return `status ${status} without a place to ask instead${status === 304 ? ": a cache before the node says that nothing changed" : ""}`;
    return `status ${status}, to ${URL.canParse(location) ? printable(new URL(location).host, 100) : "another path of the same server"}`;
  }
  if (status === 407) return PROXY_CREDENTIALS;
  const said = html ? "an HTML page" : body.message === "" ? "an empty answer" : body.message;
  return `${body.errorCode === "" ? `status ${status}` : `${status} ${body.errorCode}`}: ${said}`;
}

type ErrorBody = ReturnType<typeof readErrorBody>;

/** The fields of an error body, where it has them. Source: aptos-core `api/types/src/error.rs`. */
function readErrorBody(bytes: Uint8Array) {
  const text = new TextDecoder().decode(bytes.subarray(0, READ_BYTES_MAX)).trim();
  const json: unknown = text.startsWith("{") ? ifFormed(() => JSON.parse(text)) : undefined;
  if (typeof json !== "object" || json === null) return { message: text, errorCode: "", vmErrorCode: undefined };
  const { message, error_code, vm_error_code } = json as Record<string, unknown>;
  return {
    message: typeof message === "string" ? message : text,
    errorCode: typeof error_code === "string" ? error_code : "",
    vmErrorCode: typeof vm_error_code === "number" ? vm_error_code : undefined,
  };
}

function readOldestVersion(message: string, head: LedgerHead | undefined): bigint | undefined {
  const inText = parseU64(OLDEST_IN_TEXT.exec(message)?.[1] ?? "");
  return inText !== undefined && inText <= LEDGER_VERSION_MAX ? inText : head?.oldestVersion;
}

function ifFormed<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/** How the data of one operation is read from either encoding. */
export type Shape<T> = { readonly json: (json: unknown) => T; readonly bcs: (body: Uint8Array) => T };

type ReaderOptions = { readonly clock: Clock; readonly chainId: number | undefined; readonly jsonBounds: JsonBounds };

/** Turns answers into data or faults, and checks what all answers must agree on: the chain, and a head that does not leap. */
export function openAnswerReader({ clock, chainId, jsonBounds }: ReaderOptions) {
  let believed: (ObservedHead & { readonly head: LedgerHead }) | undefined;
  let wantedChainId = chainId;
  let onHead: (head: LedgerHead) => void = () => {};

  function readHead(raw: RawAnswer): LedgerHead | undefined {
    // Bad headers spoil data; on an error the error itself says more.
    const head = raw.status === 200 ? readLedgerHead(raw.headers) : ifFormed(() => readLedgerHead(raw.headers));
    if (!head) return undefined;
    wantedChainId ??= head.chainId;
    if (head.chainId !== wantedChainId) {
      throw new AnswerFault("wrong_chain", `chain ${wantedChainId} was wanted, and chain ${head.chainId} answered`, { status: raw.status });
    }
    const observed = { head, nowMs: clock.now(), atMs: clock.monotonic() };
    if (!isPossible(observed) || (believed !== undefined && !canFollow(believed, observed))) {
      if (raw.status !== 200) return undefined;
      const found = `the answer says that the newest ledger version is ${head.ledgerVersion}, at ${head.timestampUsec} µs since 1970`;
      throw new AnswerFault("bad_answer", `${found}: a leap that no ledger makes`, { status: raw.status });
    }
    believed = observed;
    onHead(head);
    return head;
  }

  return {
    /** Data about ledger state: with all ledger headers, in the encoding that its own content type names. */
    readData: <T>(raw: RawAnswer, shape: Shape<T>): Answer<T> => {
      const head = readHead(raw);
      if (isInferred(raw.headers)) throw new AnswerFault("inferred", "its headers say so", { status: raw.status });
      if (raw.status !== 200) throw errorAnswer(raw, head, clock.now());
      const type = mediaType(raw.headers);
      if (type !== mediaTypes.bcs && type !== mediaTypes.json) {
        if (isHtml(raw)) throw errorAnswer(raw, undefined, clock.now());
        throw new AnswerFault("bad_answer", `the content type is \`${type}\``, { status: raw.status });
      }
      const json = type === mediaTypes.json ? parseJsonBody(raw.body, jsonBounds) : undefined;
      if (isErrorBody(json)) throw errorAnswer(raw, head, clock.now());
      if (!head) throw new AnswerFault("bad_answer", "the answer carries no ledger headers (is this a ledger node?)", { status: 200 });
      const cursor = readCursor(raw.headers);
      const encoding = type === mediaTypes.bcs ? "bcs" : "json";
      const value = encoding === "bcs" ? shape.bcs(raw.body) : shape.json(json);
      return { value, head, encoding, cursor };
    },
    lastHead: (): LedgerHead | undefined => believed?.head,
    /** Calls back with the head of every answer from now on, errors included. One listener at a time. */
    onHead: (listener: (head: LedgerHead) => void): void => {
      onHead = listener;
    },
  };
}
