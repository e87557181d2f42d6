import { expect, test } from "vitest";
import { msPerRequest, planJobs } from "../../../src/crawl/backfill/jobs.ts";

test("the rate allowed is what to plan with until much else was measured, and the least there is", () => {
  const at = (requests: number, elapsedMs: number) => msPerRequest({ requests, elapsedMs, allowedMs: 100 }, 4);
  expect(at(0, 0)).toBe(100);
  expect(at(10, 10_000)).toBeLessThan(150);
  expect(at(10_000, 10_000_000)).toBeGreaterThan(950);
  expect(at(1_000, 10_000)).toBe(100);
});

test("without a rate a guess soon gives way", () => {
  const at = (requests: number, elapsedMs: number) => msPerRequest({ requests, elapsedMs, allowedMs: 0 }, 4);
  expect(at(0, 0)).toBeGreaterThan(0);
  expect(at(100, 300)).toBeLessThan(5);
});

test("the oldest come first; what would be late after them is left out, so that others are saved whole", () => {
  const jobs = [1n, 2n, 3n, 4n, 5n, 6n].map((version) => ({ version, requests: 10 }));
  const leftMs = (version: bigint) => ({ expected: Math.max(0, Number(version) - 1) * 62, worst: 0 });
  const plan = planJobs(jobs, { msPerRequest: 10, budget: 20, leftMs });
  expect(plan.order.map(({ version }) => version)).toEqual([3n, 5n]);
  expect([...plan.refused]).toEqual([
    [1n, "pruned"],
    [2n, "time"],
    [4n, "time"],
    [6n, "budget"],
  ]);
});
