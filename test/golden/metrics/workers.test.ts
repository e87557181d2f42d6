import { expect, test } from "vitest";
import { metricsText } from "../../../src/serve/http/metrics.ts";
import { workerMetrics } from "../../../src/serve/operations/worker-metrics.ts";
import type { WorkerState } from "../../../src/work/workers/workers.ts";

const worker = (own: Partial<WorkerState>): WorkerState => ({
  owner: "a",
  command: "sync",
  node: "http://node/v1",
  since: 1_000,
  forMs: 61_000,
  silentMs: 1_500,
  ledgerVersion: 100n,
  accounts: 40,
  requests: 80,
  perMinute: 600,
  batches: 2,
  intervals: undefined,
  isAlive: true,
  ...own,
});

test("the metrics of workers say who works, how far a snapshot is, and how long the rest takes them together", async () => {
  const workers = [
    worker({}),
    worker({ owner: "b", silentMs: 250, accounts: 41, requests: 95, perMinute: 1_200, batches: 3 }),
    worker({ owner: "dead", silentMs: 90_000, accounts: 7, requests: 9, perMinute: 6_000, batches: 0, isAlive: false }),
    worker({
      owner: "t",
      command: "trace",
      silentMs: 4_000,
      ledgerVersion: undefined,
      accounts: 0,
      requests: 11,
      batches: 1,
      intervals: 5,
    }),
  ];
  // 300 accounts, of half of which the record is read too, at 30 requests a second: 15 seconds.
  const unfinished = [{ ledgerVersion: 100n, planned: 1_000, left: 300, requestsLeft: 450 }];
  const text = metricsText(workerMetrics(workers, unfinished));
  expect(text).toContain('\nmovedex_unfinished_eta_seconds{ledger_version="100"} 15\n');
  await expect(text).toMatchFileSnapshot("values/workers.prom");
});

test("where nobody works there is no pace, and so no time left", () => {
  const text = metricsText(workerMetrics([], [{ ledgerVersion: 100n, planned: 1_000, left: 300, requestsLeft: 450 }]));
  expect(text).toContain("movedex_workers 0\n");
  expect(text).not.toContain("eta_seconds");
});
