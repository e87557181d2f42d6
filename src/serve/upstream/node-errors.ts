import { printable } from "../../base/printable.ts";
import { parseU64 } from "../../base/u64.ts";
import { isSafeHint } from "./passed-headers.ts";

/** The fields of an error's body in the node's order; a pruned version's may be followed by those that gateways add. */
export type ErrorFields = {
  readonly message: string;
  readonly error_code: string;
  readonly vm_error_code: number | null;
  readonly hint?: string;
  readonly oldest_ledger_version?: string;
  readonly archival_endpoint?: string;
};

const TROUBLE = ["internal_error", "health_check_failed", "overloaded", "node_not_bootstrapped", "rate_limited", "api_disabled"];

/**
 * The errors of the read operations by status. An answer of status 200 with an error is one of a node that panicked. Source:
 * node-contract, sections 7.2 and 7.5.
 */
const codes: Readonly<Record<number, readonly string[]>> = {
  200: TROUBLE,
  400: ["web_framework_error", "invalid_input"],
  404: ["version_not_found", "account_not_found", "module_not_found", "web_framework_error"],
  410: ["version_pruned", "block_pruned"],
  429: ["rate_limited"],
  500: TROUBLE,
  503: TROUBLE,
};

/** Whether the API answers reads with the status. */
export function isDefinedStatus(status: number): boolean {
  return Object.hasOwn(codes, status);
}

const MESSAGE_LENGTH = 2000;

/**
 * The fields of a body that is an error which the API defines for its status; undefined for anything else. Only these fields and
 * codes are ever passed on. Fields that gateways add to a pruned version: node-contract, section 11.1.
 */
export function errorFields(status: number, json: unknown): ErrorFields | undefined {
  if (typeof json !== "object" || json === null) return undefined;
  const { message, error_code, vm_error_code, hint, oldest_ledger_version: oldest, archival_endpoint } = json as Record<string, unknown>;
  if (typeof message !== "string" || typeof error_code !== "string" || !codes[status]?.includes(error_code)) return undefined;
  const fields = {
    message: printable(message, MESSAGE_LENGTH),
    error_code,
    vm_error_code: Number.isSafeInteger(vm_error_code) ? (vm_error_code as number) : null,
  };
  if (error_code !== "version_pruned" && error_code !== "block_pruned") return fields;
  return {
    ...fields,
    ...(isSafeHint(archival_endpoint) && typeof hint === "string" ? { hint: printable(hint) } : {}),
    ...(typeof oldest === "string" && parseU64(oldest) !== undefined ? { oldest_ledger_version: oldest } : {}),
    ...(isSafeHint(archival_endpoint) ? { archival_endpoint } : {}),
  };
}
