import { type Answer, contentTypes, jsonBody } from "../http/answer.ts";
import { type ApiError, apiError } from "../http/errors.ts";
import { acceptedFormat } from "../http/negotiation.ts";
import type { Fault } from "./fault.ts";

/**
 * A gateway's 429: plain text, no ledger headers. `retryAfter` is the header's value as sent (seconds, an HTTP date,
 * zero, negative, garbage, huge); undefined sends none.
 */
export function tooManyRequests(retryAfter?: string): Fault {
  const body = "Per anonymous IP rate limit exceeded. Limit: 40000 compute units per 300 seconds window.";
  const headers = { "content-type": contentTypes.text, ...(retryAfter === undefined ? {} : { "retry-after": retryAfter }) };
  return replacing(`429, retry-after ${retryAfter ?? "absent"}`, plain(429, headers, body));
}

/** A gateway's 401 for a key it does not know. */
export function unauthorized(): Fault {
  return replacing("401", plain(401, { "content-type": contentTypes.text }, "Unauthorized"));
}

/** A page that a gateway sends instead of the node's answer, with any status, 200 included. */
export function gatewayPage(status: number): Fault {
  const body = `<html>\r\n<head><title>${status}</title></head>\r\n<body><center><h1>${status}</h1></center></body>\r\n</html>\r\n`;
  return replacing(`${status} with a page`, plain(status, { "content-type": "text/html" }, body));
}

export function redirect(location: string, status: 301 | 302 | 307 | 308 = 302): Fault {
  return replacing(`${status} to ${location}`, plain(status, { location, "content-type": "text/html" }, ""));
}

/** A node's 503 without ledger headers: it sheds load, is still syncing, or cannot read its own ledger. `retryAfter` is in seconds. */
export function unavailable(reason: "overloaded" | "node_not_bootstrapped" | "internal_error", retryAfter?: string): Fault {
  const messages = {
    overloaded: "Server is shedding load; please retry shortly",
    node_not_bootstrapped: "Node is not bootstrapped yet",
    internal_error: "Failed to retrieve latest ledger info: DB is bootstrapping",
  };
  const answer = apiError({ status: 503, code: reason, message: messages[reason] });
  const headers = { ...answer.headers, ...(retryAfter === undefined ? {} : { "retry-after": retryAfter }) };
  return replacing(`503 ${reason}`, { ...answer, headers });
}

/** How the messages of real nodes' 500 answers end, by what went wrong. */
export const storageFailures = {
  database: "Failed to query DB to check for 0x1::account::Account",
  stateValue: "Failed to retrieve state value: Internal error",
  listing: "Failed to get modules from storage: too many values requested",
  abi: "Failed to parse move module ABI",
  deserializing: "Internal error deserializing response from DB",
  stateless: "Failed to check if stateless account is enabled",
  noIndexer: "Failed to get modules from storage: Indexer reader doesn't exist",
  noIndex: "Failed to get modules from storage: Internal statekeys index is not enabled",
  indexLate: "Failed to get modules from storage: ledger version too new",
  joinError: "task 4711 panicked",
} as const;

/** A 500 `internal_error` with ledger headers, as most have, and a message that real nodes send. */
export function storageFailure(kind: keyof typeof storageFailures): Fault {
  const error = { status: 500, code: "internal_error", message: storageFailures[kind] };
  return kind === "joinError" ? replacing(`500 ${kind}`, apiError(error)) : refusing(`500 ${kind}`, error);
}

/** A 500 instead of a 410: the version was readable when the request came, and its state was pruned before it was read. */
export function prunedState(version: bigint, available: bigint): Fault {
  const message = `Failed to retrieve state value: StateValue at version ${version} is pruned, min available version is ${available}.`;
  return refusing("500 pruned state", { status: 500, code: "internal_error", message });
}

/** Status 200 and an error in the body, as generation D sends after a panic outside of the storage work. */
export function errorInSuccess(): Fault {
  return replacing("200 with an error", apiError({ status: 200, code: "internal_error", message: "internal error" }));
}

/** An error with an unknown code. */
export function unknownError(status: number, code: string): Fault {
  return refusing(`${status} ${code}`, { status, code, message: "Something new" });
}

/** What a gateway adds to a 410 since 2026: the address of an archive, in the body and in a header. Other answers stay as they are. */
export function archiveHint(endpoint: string): Fault {
  return {
    name: "410 with a hint",
    answer: (honest, _request, { info }) => {
      const answer = honest();
      if (answer.status !== 410) return answer;
      const body = JSON.parse(Buffer.from(answer.body).toString()) as object;
      const hint = { hint: "Older versions are kept elsewhere", oldest_ledger_version: info.oldest.toString() };
      return {
        ...answer,
        headers: { ...answer.headers, "x-aptos-archival-endpoint": endpoint },
        body: jsonBody({ ...body, ...hint, archival_endpoint: endpoint }),
      };
    },
  };
}

/** Refuses one format, as where the operator switched it off; requests for others are answered. */
export function formatDisabled(format: "json" | "bcs"): Fault {
  const message = `Get account modules with ${format.toUpperCase()} output is disabled on this endpoint`;
  const refusal = apiError({ status: 403, code: "api_disabled", message });
  return {
    name: `403 no ${format}`,
    answer: (honest, request) => (acceptedFormat(request.headers.accept) === format ? refusal : honest()),
  };
}

function replacing(name: string, answer: Answer): Fault {
  return { name, answer: () => answer };
}

/** An error under the ledger headers. */
function refusing(name: string, error: ApiError): Fault {
  return { name, answer: (_honest, _request, view) => apiError(error, view) };
}

function plain(status: number, headers: Readonly<Record<string, string>>, body: string): Answer {
  return { status, headers, body: Buffer.from(body), compressible: false };
}
