import { expect, test } from "vitest";
import { metricsText } from "../../src/serve/http/metrics.ts";
import { workerMetrics } from "../../src/serve/operations/worker-metrics.ts";
import type { WorkerState } from "../../src/work/workers/workers.ts";

const worker = (owner: string, perMinute: number, isAlive = true): WorkerState => ({
  owner,
  command: "sync",
  node: "http://node/v1",
  since: 0,
  forMs: 60_000,
  silentMs: 1_500,
  ledgerVersion: 100n,
  accounts: 40,
  requests: 80,
  perMinute,
  batches: 2,
  intervals: undefined,
  isAlive,
});
const snapshot = { ledgerVersion: 100n, planned: 1_000, left: 300, requestsLeft: 450 };

test("metrics say who works, how far a snapshot is, and how long the rest takes them together", () => {
  const workers = [worker("a", 600), worker("b", 1_200), worker("dead", 6_000, false)];
  const text = metricsText(workerMetrics(workers, [snapshot]));
  for (const line of [
    "movedex_workers 2",
    'movedex_worker_silent_seconds{worker="dead",command="sync",node="http://node/v1"} 1.5',
    'movedex_worker_batches{worker="a",command="sync",node="http://node/v1"} 2',
    'movedex_worker_requests_per_second{worker="b",command="sync",node="http://node/v1"} 20',
    'movedex_unfinished_accounts_planned{ledger_version="100"} 1000',
    'movedex_unfinished_accounts_left{ledger_version="100"} 300',
    'movedex_unfinished_workers{ledger_version="100"} 2',
    // 300 accounts, of half of which the record is read too, at 30 requests a second.
    'movedex_unfinished_eta_seconds{ledger_version="100"} 15',
  ])
    expect(text.split("\n")).toContain(line);
});

test("where nobody works there is no pace, and so no time left", () => {
  const text = metricsText(workerMetrics([], [snapshot]));
  expect(text).toContain("movedex_workers 0\n");
  expect(text).not.toContain("eta_seconds");
});
