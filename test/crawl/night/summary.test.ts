import { expect, test } from "vitest";
import { exitOf, type SyncSummary } from "../../../src/core/crawl/night/summary.ts";

const head = { ledgerVersion: 5n, ageMs: 700_000, risenBy: 0n, isStale: true };

test.each<readonly [string, ...Partial<SyncSummary>[]]>([
  ["lost", { status: "sealed_with_gaps" }, { isLost: true }],
  ["lost", { isLost: true, head }],
  ["gaps", { status: "sealed_with_gaps" }, { status: "sealed" }],
  // A list of thousands always has an account without an answer, which would hide for ever that the node stands still.
  ["stale", { status: "sealed_with_gaps", head }],
  ["done", { status: "sealed", head: { ...head, isStale: false } }],
  ["terminated", { status: "sealed", stoppedBy: "SIGTERM", head }],
  ["interrupted", { status: "unsealed", stoppedBy: "SIGINT" }],
  ["done", { status: "unsealed", stoppedBy: "budget" }],
])("%s is the worst of a run's snapshots, or what stopped it", (exit, ...summaries) => {
  expect(exitOf(summaries as SyncSummary[])).toBe(exit);
});
