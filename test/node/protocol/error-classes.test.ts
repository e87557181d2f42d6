import { describe, expect, test } from "vitest";
import { errorClass, errorClasses, type NodeErrorKind, recogniseError } from "../../../src/core/node/protocol/error-classes.ts";

/** The codes of aptos-core `api/types/src/error.rs` that a read can meet, with their usual status. */
const rows: readonly [status: number, errorCode: string, message: string, kind: NodeErrorKind][] = [
  [404, "account_not_found", "Account not found by Address(0x5) and Ledger version(9)", "account_not_found"],
  [404, "module_not_found", "Module not found by …", "module_not_found"],
  [404, "version_not_found", "Ledger version not found by Ledger version(9)", "behind"],
  [404, "version_not_found", "Ledger version not found by Ledger version(9): this archive has no snapshot of it", "not_held"],
  [404, "resource_not_found", "…", "unknown_error"],
  [410, "version_pruned", "Ledger version(9) has been pruned", "pruned"],
  [410, "block_pruned", "…", "pruned"],
  [410, "", "gone", "pruned"],
  [400, "invalid_input", "Given limit value (0) must not be zero", "bad_request"],
  [400, "web_framework_error", "failed to parse path `address`: …", "bad_request"],
  [404, "web_framework_error", "not found", "unknown_path"],
  [405, "web_framework_error", "method not allowed", "bad_request"],
  [403, "api_disabled", "Get account with BCS output is disabled on this endpoint", "encoding_refused"],
  [400, "bcs_not_supported", "…", "encoding_refused"],
  [429, "", "Per anonymous IP rate limit exceeded.", "rate_limited"],
  [429, "web_framework_error", "…", "rate_limited"],
  [503, "rate_limited", "…", "rate_limited"],
  [503, "overloaded", "Server is shedding load; please retry shortly", "overloaded"],
  [503, "node_not_bootstrapped", "", "overloaded"],
  [503, "health_check_failed", "…", "overloaded"],
  [503, "internal_error", "DB is bootstrapping", "overloaded"],
  [503, "", "", "overloaded"],
  [500, "internal_error", "Failed to query DB", "server_error"],
  [500, "internal_error", "StateValue at version 1 is pruned, min available version is 2.", "pruned"],
  [500, "internal_error", "Failed to get modules from storage: Indexer reader doesn't exist", "unable"],
  [500, "internal_error", "…: Internal statekeys index is not enabled", "unable"],
  [500, "internal_error", "…: ledger version too new", "behind"],
  [200, "internal_error", "internal error", "server_error"],
  [200, "something_new", "…", "server_error"],
  [200, "", "…", "bad_answer"],
  [204, "", "", "bad_answer"],
  [400, "something_new", "ledger version too new", "unknown_error"],
  [500, "something_new", "…", "server_error"],
  [401, "", "Unauthorized", "credentials"],
  [401, "internal_error", "no key", "credentials"],
  [403, "", "Forbidden", "forbidden"],
  [403, "something_new", "…", "unknown_error"],
  [404, "", "nothing here", "unknown_path"],
  [408, "", "…", "timeout"],
  [418, "", "…", "bad_request"],
  [301, "", "", "redirected"],
  [304, "", "", "bad_answer"],
  [502, "", "bad gateway", "gateway"],
  [504, "", "…", "gateway"],
  [522, "", "…", "gateway"],
  [999, "", "…", "bad_answer"],
];

describe("recogniseError", () => {
  test.each(rows)("%i %s (%s) is %s", (status, errorCode, message, kind) => {
    expect(recogniseError({ status, errorCode, message, html: false })).toBe(kind);
  });

  test.each([
    [200, "gateway"],
    [500, "gateway"],
    [503, "overloaded"],
    [403, "forbidden"],
    [404, "unknown_path"],
    [429, "rate_limited"],
  ])("a page with status %i is %s", (status, kind) => {
    expect(recogniseError({ status, errorCode: "", message: "<html>", html: true })).toBe(kind);
  });
});

test("errorClasses: whatever makes all requests wait is tried again, and every wait has an end", () => {
  for (const kind of Object.keys(errorClasses) as NodeErrorKind[]) {
    const { retry, pausesAll, meaning } = errorClass(kind);
    if (pausesAll) expect(retry, kind).toBeDefined();
    expect(meaning).not.toBe("");
    if (!retry) continue;
    expect(retry.attempts).toBeGreaterThan(1);
    expect(retry.shortestMs).toBeLessThanOrEqual(retry.firstMs);
    expect(retry.firstMs).toBeLessThanOrEqual(retry.longestMs);
    expect(retry.withinMs).toBeLessThanOrEqual(3_600_000);
  }
});
