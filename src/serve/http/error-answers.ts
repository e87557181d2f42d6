import type { Socket } from "node:net";
import type { ArchiveHead } from "../../archive/read/archive-head.ts";
import { MovedexError } from "../../errors.ts";
import { type Answer, contentTypes, jsonBody } from "./answer.ts";

/** An error in the node's form: message, `error_code`, `vm_error_code`, in that order; the last is always null on reads. */
function errorAnswer(status: number, errorCode: string, message: string, contentType: string): Answer {
  return {
    status,
    contentType,
    body: jsonBody({ message, error_code: errorCode, vm_error_code: null }),
    cacheRule: "no_store",
  };
}

/** An error of the API, with the ledger headers when the node would have looked at the ledger before raising it. */
export function apiError(status: number, errorCode: string, message: string, head?: ArchiveHead): Answer {
  const answer = errorAnswer(status, errorCode, message, contentTypes.json);
  return head === undefined ? answer : { ...answer, head };
}

/** An error raised before the API is reached. Source: aptos-core `api/src/error_converter.rs`. */
export function frameworkError(status: number, message: string, headers?: Readonly<Record<string, string>>): Answer {
  const answer = errorAnswer(status, "web_framework_error", message, contentTypes.frameworkJson);
  return headers === undefined ? answer : { ...answer, headers };
}

/** The service is at its limits; nothing was done for the request. Source of the wording: node-contract, section 7.2. */
export function overloaded(): Answer {
  return { ...apiError(503, "overloaded", "Server is shedding load; please retry shortly"), headers: { "retry-after": "1" } };
}

export function archiveAway(): Answer {
  const message = "Failed to retrieve latest ledger info: the database of this archive gives no answer; please retry shortly";
  return { ...apiError(503, "internal_error", message), headers: { "retry-after": "2" } };
}

const brokenRequests: Readonly<Record<string, readonly [number, string]>> = {
  HPE_HEADER_OVERFLOW: [431, "request header fields too large"],
  ERR_HTTP_REQUEST_TIMEOUT: [408, "request timeout"],
};

/** Answers what is not HTTP with one error, and closes the connection. */
export function refuseBrokenRequest({ code = "" }: NodeJS.ErrnoException, socket: Socket): void {
  if (code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const [status, message] = brokenRequests[code] ?? [400, "bad request"];
  const { contentType, body } = frameworkError(status, message);
  const head = [`HTTP/1.1 ${status} ${message}`, `content-type: ${contentType}`, `content-length: ${body.length}`, "connection: close"];
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`, () => socket.destroy());
}

/** A parameter of a request that does not parse. `MOVEDEX_SERVE_PARAMETER`; the message is the node's own. */
export class ParameterError extends MovedexError {
  constructor(message: string) {
    super("MOVEDEX_SERVE_PARAMETER", message);
  }
}
