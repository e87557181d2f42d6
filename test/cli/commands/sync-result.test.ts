import { expect, test } from "vitest";
import { snapshotResult } from "../../../src/cli/commands/sync/result.ts";
import type { SyncSummary } from "../../../src/crawl/night/summary.ts";

const summary: SyncSummary = {
  chainId: 4,
  ledgerVersion: 2n ** 60n,
  status: "sealed",
  accounts: 3,
  modules: 9,
  newBytecodes: 1,
  empty: 0,
  changedModules: 2,
  requests: 8,
  retries: 0,
  bytesReceived: 100,
  gaps: 0,
  digest: "ab",
  durationMs: 12.6,
  isLost: false,
  isResumed: false,
  stoppedBy: undefined,
};

test("a snapshot is one flat object in which no number loses digits", () => {
  expect(snapshotResult.print(summary)).toEqual({
    chain_id: 4,
    ledger_version: "1152921504606846976",
    status: "sealed",
    accounts: 3,
    modules: 9,
    new_bytecodes: 1,
    empty_accounts: 0,
    changed_modules: 2,
    requests: 8,
    retries: 0,
    bytes_received: 100,
    gaps: 0,
    digest: "ab",
    duration_ms: 13,
  });
});

test("a run's last snapshot has what the node said of its head", () => {
  const head = { ledgerVersion: 5n, ageMs: 700_000, risenBy: 0n, isStale: true };
  const said = { head_version: "5", head_age_ms: 700_000, head_risen_by: "0", no_newer_state: true };
  expect(snapshotResult.print({ ...summary, head })).toMatchObject(said);
});
