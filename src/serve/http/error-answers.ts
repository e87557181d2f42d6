import { MovedexError } from "../../errors.ts";
import type { ArchiveHead } from "../../store/read/serving.ts";
import { type Answer, jsonBody } from "./answer.ts";
import { contentTypes } from "./content-types.ts";

/** A refusal in the node's form: message, `error_code`, `vm_error_code`, in that order; the last is always null on reads. */
function refusal(status: number, errorCode: string, message: string, contentType: string): Answer {
  return {
    status,
    contentType,
    body: jsonBody({ message, error_code: errorCode, vm_error_code: null }),
    keeping: "never",
  };
}

/** A refusal of the API, with the ledger headers when it came after a look at the ledger. */
export function apiRefusal(status: number, errorCode: string, message: string, head?: ArchiveHead): Answer {
  const answer = refusal(status, errorCode, message, contentTypes.json);
  return head === undefined ? answer : { ...answer, head };
}

/** A refusal that comes before the API. Source: aptos-core `api/src/error_converter.rs`. */
export function frameworkRefusal(status: number, message: string, headers?: Readonly<Record<string, string>>): Answer {
  const answer = refusal(status, "web_framework_error", message, contentTypes.frameworkJson);
  return headers === undefined ? answer : { ...answer, headers };
}

/** Too much at once: said before anything was done for the request. Source of the words: node-contract, section 7.2. */
export function overloaded(): Answer {
  return { ...apiRefusal(503, "overloaded", "Server is shedding load; please retry shortly"), headers: { "retry-after": "1" } };
}

/** A parameter of a request that does not parse. `MOVEDEX_SERVE_PARAMETER`; the message is the node's own. */
export class ParameterError extends MovedexError {
  constructor(message: string) {
    super("MOVEDEX_SERVE_PARAMETER", message);
  }
}
