import { type Answer, contentTypes, type HeadView, jsonBody, ledgerHeaders } from "./answer.ts";

/** A refusal that the API makes. */
export type ApiError = { readonly status: number; readonly code: string; readonly message: string };

/** The refusals that follow a look at the ledger. Source: aptos-core `api/src/response.rs`, `api/src/page.rs`. */
export const apiErrors = {
  limitZero: (): ApiError => ({ status: 400, code: "invalid_input", message: "Given limit value (0) must not be zero" }),
  versionNotFound: (version: bigint): ApiError => ({
    status: 404,
    code: "version_not_found",
    message: `Ledger version not found by Ledger version(${version})`,
  }),
  versionPruned: (version: bigint): ApiError => ({
    status: 410,
    code: "version_pruned",
    message: `Ledger version(${version}) has been pruned`,
  }),
  accountNotFound: (address: string, version: bigint): ApiError => ({
    status: 404,
    code: "account_not_found",
    message: `Account not found by Address(${address}) and Ledger version(${version})`,
  }),
  moduleNotFound: (address: string, name: string, version: bigint): ApiError => ({
    status: 404,
    code: "module_not_found",
    message: `Module not found by Address(${address}), Module name(${name}) and Ledger version(${version})`,
  }),
} as const;

/** The body of every refusal that is JSON: the fields in the node's order, `vm_error_code` always null here. */
function errorBody(code: string, message: string): Uint8Array {
  return jsonBody({ message, error_code: code, vm_error_code: null });
}

/** A refusal of the API; with ledger headers where it is made after a look at the ledger. */
export function apiError({ status, code, message }: ApiError, view?: HeadView): Answer {
  const headers = { ...(view && ledgerHeaders(view)), "content-type": contentTypes.json };
  return { status, headers, body: errorBody(code, message), compressible: false };
}

/**
 * A refusal of the web framework: no ledger headers, no charset; plain text when the request came with an `Origin`,
 * since the inner layer then answers before the JSON converter sees it. Source: aptos-core `api/src/error_converter.rs`.
 */
export function frameworkError(status: number, message: string, origin: string | undefined): Answer {
  const plain = origin !== undefined;
  return {
    status,
    headers: { "content-type": plain ? contentTypes.text : contentTypes.frameworkJson },
    body: plain ? Buffer.from(message) : errorBody("web_framework_error", message),
    compressible: plain,
  };
}
