import { expect, test } from "vitest";
import { exitOf, type SyncSummary } from "../../../src/core/crawl/night/summary.ts";
import { chooseTonights, type Tonight } from "../../../src/core/crawl/night/tonight.ts";

test.each<readonly [string, Tonight["request"]["version"], lag: bigint, found: bigint | string]>([
  ["the newest, kept below the head", { kind: "latest" }, 40n, 960n],
  ["the newest, never below the oldest", { kind: "latest" }, 901n, 100n],
  ["the oldest", { kind: "exact", version: 100n }, 40n, 100n],
  ["the head itself", { kind: "exact", version: 1_000n }, 40n, 1_000n],
  ["what is pruned", { kind: "exact", version: 99n }, 0n, "MOVEDEX_PIN_PRUNED"],
  ["what does not exist yet", { kind: "exact", version: 1_001n }, 0n, "MOVEDEX_PIN_FUTURE"],
  ["so far before the head that it is pruned", { kind: "behind", versions: 950n }, 0n, "MOVEDEX_PIN_PRUNED"],
  ["further before the head than the ledger is long", { kind: "behind", versions: 5_000n }, 0n, "MOVEDEX_PIN_FUTURE"],
])("the version to read: %s", (_, version, lag, found) => {
  const head = { ledgerVersion: 1_000n, oldestVersion: 100n };
  const choose = () => chooseTonights({ request: { version, lag }, head, before: { newestSealed: undefined } } as unknown as Tonight);
  if (typeof found === "bigint") expect(choose()).toBe(found);
  else expect(choose).toThrow(expect.objectContaining({ code: found }));
});

const head = { ledgerVersion: 5n, ageMs: 700_000, aheadMs: 0, risenBy: 0n, isStale: true };

test.each<readonly [string, ...Partial<SyncSummary>[]]>([
  ["lost", { status: "sealed_with_gaps" }, { isLost: true }],
  ["lost", { isLost: true, head }],
  ["gaps", { status: "sealed_with_gaps" }, { status: "sealed" }],
  // A list of thousands always has an account without an answer, which would hide for ever that the node stands still.
  ["stale", { status: "sealed_with_gaps", head }],
  ["done", { status: "sealed", head: { ...head, isStale: false } }],
  ["terminated", { status: "sealed", stoppedBy: "SIGTERM", head }],
  ["interrupted", { status: "unsealed", stoppedBy: "SIGINT" }],
  ["done", { status: "unsealed", stoppedBy: "budget", accountsLeft: 1 }],
  // Another process may have asked all of them.
  ["failed", { status: "unsealed", accountsLeft: 0 }],
  ["done", { status: "unsealed", accountsLeft: 0 }, { status: "sealed" }],
])("%s is the worst of a run's snapshots, or what stopped it", (exit, ...summaries) => {
  expect(exitOf(summaries as SyncSummary[])).toBe(exit);
});
