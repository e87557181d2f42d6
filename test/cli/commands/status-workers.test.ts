import { expect, test } from "vitest";
import type { SnapshotCounts } from "../../../src/archive/read/status-queries.ts";
import { togetherText, workerText } from "../../../src/cli/commands/status/text.ts";
import type { WorkerState } from "../../../src/work/workers/workers.ts";

const worker: WorkerState = {
  owner: "host:17:abcdef01",
  command: "sync",
  node: "https://node.example/v1",
  since: 0,
  forMs: 90_000,
  silentMs: 2_000,
  ledgerVersion: 100n,
  accounts: 40,
  requests: 80,
  perMinute: 600,
  batches: 2,
  intervals: undefined,
  isAlive: true,
};
const snapshot = { ledgerVersion: 100n, planned: 1_000, left: 300, requestsLeft: 600 } as SnapshotCounts;

test("status says of a worker since when, at which node, what it does, how fast, and its last sign of life", () => {
  const who = "host:17:abcdef01 (sync) at https://node.example/v1, for 1 min 30 s";
  const life = "40 accounts read; last sign of life 2 s ago";
  expect(workerText(worker)).toBe(`${who}: reading ledger version 100, 2 batches in hand, 10.0 requests/s; ${life}`);
  expect(workerText({ ...worker, ledgerVersion: undefined, intervals: 1 })).toBe(
    `${who}: tracing changes, 1 interval in hand, 10.0 requests/s; ${life}`,
  );
  expect(workerText({ ...worker, ledgerVersion: undefined })).toBe(`${who}: waiting for work; ${life}`);
  expect(workerText({ ...worker, isAlive: false })).toBe(`${who}: silent for 2 s; other workers take over its accounts`);
});

test("and of a snapshot how far all are together, and when it will be done at their pace", () => {
  const workers = [worker, { ...worker, perMinute: 1_200 }, { ...worker, perMinute: 6_000, isAlive: false }];
  expect(togetherText(snapshot, workers)).toBe("2 workers at ledger version 100: 70 % done, 30.0 requests/s together, about 20 s left");
  expect(togetherText(snapshot, [{ ...worker, perMinute: 0 }])).toBe("1 worker at ledger version 100: 70 % done, 0.0 requests/s together");
  expect(togetherText(snapshot, [])).toBeUndefined();
});
