import { printable } from "../../base/printable.ts";
import { LEDGER_VERSION_MAX, parseU64 } from "../../base/u64.ts";
import type { RawAnswer } from "../http/transport.ts";
import { recogniseError } from "../protocol/error-classes.ts";
import { firstOf, type Headers, type LedgerHead } from "../protocol/ledger-head.ts";
import { AnswerFault, parseRetryAfter } from "../protocol/node-error.ts";

/** An error body is a few hundred bytes; of a page that a gateway sends in its place the beginning is enough. */
const READ_BYTES_MAX = 64 * 1024;
/** Characters of a URL that is worth looking at. */
const ENDPOINT_MAX = 500;
const OLDEST_IN_TEXT = /min available version is (\d+)/;

/** The media type of an answer, lower case, without parameters; empty when there is none. */
export function mediaType(headers: Headers): string {
  const value = headers["content-type"];
  return typeof value === "string" ? (value.split(";", 1)[0] as string).trim().toLowerCase() : "";
}

/** Whether an answer is a page, by its content type or its first letter. */
export function isHtml({ headers, body }: RawAnswer): boolean {
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
  // A gateway's addition, in a header or in the body (node-contract, section 11.1).
  const named = kind === "pruned" ? (firstOf(headers["x-aptos-archival-endpoint"]) ?? body.archive) : undefined;
  const archivalEndpoint = named === undefined || named.length > ENDPOINT_MAX ? undefined : named;
  const retryAfterMs = parseRetryAfter(firstOf(headers["retry-after"]), firstOf(headers["date"]), nowMs);
  const { errorCode, vmErrorCode } = body;
  const known = { status, errorCode, vmErrorCode, oldestVersion, archivalEndpoint, retryAfterMs };
  return new AnswerFault(kind, describe(answer, body, html), known);
}

function describe({ status, headers }: RawAnswer, body: ErrorBody, html: boolean): string {
  if (status >= 300 && status < 400) {
    const location = firstOf(headers["location"]) ?? "";
    return `status ${status}, to ${URL.canParse(location) ? printable(new URL(location).host, 100) : "another path of the same server"}`;
  }
  const said = html ? "an HTML page" : body.message === "" ? "an empty answer" : body.message;
  return `${body.errorCode === "" ? `status ${status}` : `${status} ${body.errorCode}`}: ${said}`;
}

type ErrorBody = ReturnType<typeof readErrorBody>;

/** The fields of an error body, where it has them. Source: aptos-core `api/types/src/error.rs`. */
function readErrorBody(bytes: Uint8Array) {
  const text = new TextDecoder().decode(bytes.subarray(0, READ_BYTES_MAX)).trim();
  const json = text.startsWith("{") ? parseJson(text) : undefined;
  if (typeof json !== "object" || json === null) return { message: text, errorCode: "", vmErrorCode: undefined, archive: undefined };
  const { message, error_code, vm_error_code, archival_endpoint } = json as Record<string, unknown>;
  return {
    message: typeof message === "string" ? message : text,
    errorCode: typeof error_code === "string" ? error_code : "",
    vmErrorCode: typeof vm_error_code === "number" ? vm_error_code : undefined,
    archive: typeof archival_endpoint === "string" ? archival_endpoint : undefined,
  };
}

function readOldestVersion(message: string, head: LedgerHead | undefined): bigint | undefined {
  const inText = parseU64(OLDEST_IN_TEXT.exec(message)?.[1] ?? "");
  return inText !== undefined && inText <= LEDGER_VERSION_MAX ? inText : head?.oldestVersion;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
