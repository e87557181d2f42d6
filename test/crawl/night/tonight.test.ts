import { expect, test } from "vitest";
import { exitOf, type SyncSummary } from "../../../src/core/crawl/night/summary.ts";
import { chooseTonights, type RunStart, reportHead } from "../../../src/core/crawl/night/tonight.ts";

test.each<readonly [string, RunStart["request"]["version"], lag: bigint, found: bigint | string]>([
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
  const choose = () => chooseTonights({ request: { version, lag }, head, before: { newestSealed: undefined } } as unknown as RunStart);
  if (typeof found === "bigint") expect(choose()).toBe(found);
  else expect(choose).toThrow(expect.objectContaining({ code: found }));
});

const MINUTE = 60_000;
const DAY = 1440 * MINUTE;

test.each([
  ["a day after an earlier run saw it", true, { runMs: 0, nowMs: DAY }],
  ["a minute after", false, { runMs: 0, nowMs: MINUTE }],
  ["by a clock that was set back by 70 days", true, { runMs: DAY, nowMs: -69 * DAY }],
  ["by a clock that was set back by some minutes", false, { runMs: MINUTE, nowMs: -5 * MINUTE }],
  // The clock of the earlier run was wrong, and what the ledger says is of now.
  ["a minute after, where an earlier run's clock was 70 days ahead", false, { runMs: 70 * DAY, nowMs: MINUTE }],
  ["a day after, where an earlier run's clock was 70 days ahead", true, { runMs: 70 * DAY, nowMs: DAY }],
])("a newest version that has not moved is old %s: %s", (_, isOld, { runMs, nowMs }) => {
  // By the ledger it is the moment of its newest version.
  const [head, ofNow] = [{ ledgerVersion: 5n, timestampUsec: BigInt(1e15) }, 1e12];
  const before = { newestSealed: 5n, seen: { ledgerVersion: 5n, seenAtMs: ofNow + runMs } };
  const tonight = { request: { version: { kind: "latest" }, lag: 0n }, head, before } as unknown as RunStart;
  const [ageMs, aheadMs] = [Math.max(0, nowMs), Math.max(0, -nowMs)];
  expect(reportHead(tonight, ofNow + nowMs)).toMatchObject({ isOld, isStale: isOld, ageMs, aheadMs });
});

const head = { ledgerVersion: 5n, ageMs: 700_000, aheadMs: 0, risenBy: 0n, isOld: true, isStale: true };

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
