import { expect, test } from "vitest";
import { exitOf, type SyncSummary } from "../../../src/crawl/night/summary.ts";

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

test("the worst of a run's snapshots decides how it ends, then what stopped it", () => {
  expect(exitOf([summary])).toBe("done");
  expect(exitOf([{ ...summary, status: "sealed_with_gaps" }, summary])).toBe("gaps");
  const gaps: SyncSummary = { ...summary, status: "sealed_with_gaps" };
  expect(exitOf([gaps, { ...summary, isLost: true }])).toBe("lost");
  expect(exitOf([{ ...summary, status: "unsealed", stoppedBy: "budget" }])).toBe("done");
  expect(exitOf([{ ...summary, status: "unsealed", stoppedBy: "SIGINT" }])).toBe("interrupted");
  expect(exitOf([{ ...summary, status: "unsealed", stoppedBy: "SIGTERM" }])).toBe("terminated");
});

test("a run that found no newer state ends as stale, unless something graver is to be said", () => {
  const head = { ledgerVersion: 5n, ageMs: 700_000, risenBy: 0n, isStale: true };
  expect(exitOf([{ ...summary, head }])).toBe("stale");
  expect(exitOf([{ ...summary, head: { ...head, isStale: false } }])).toBe("done");
  expect(exitOf([{ ...summary, isLost: true, head }])).toBe("lost");
  // A list of thousands always has an account without an answer, which would hide for ever that the node stands still.
  expect(exitOf([{ ...summary, status: "sealed_with_gaps", head }])).toBe("stale");
  expect(exitOf([{ ...summary, status: "sealed_with_gaps" }])).toBe("gaps");
  expect(exitOf([{ ...summary, stoppedBy: "SIGTERM", head }])).toBe("terminated");
});
