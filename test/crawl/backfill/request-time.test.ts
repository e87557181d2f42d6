import { expect, test } from "vitest";
import { msPerRequest } from "../../../src/crawl/backfill/deadlines.ts";

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
