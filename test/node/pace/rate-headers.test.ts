import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readRateHeaders } from "../../../src/node/pace/quota-rate.ts";

const NOW = Date.parse("2026-11-21T12:00:00Z");

describe("readRateHeaders", () => {
  test.each([
    ["the draft of today", { ratelimit: '"default";r=50;t=30' }, 50, 30_000],
    ["the tightest of several", { ratelimit: '"burst";r=100;t=10, "daily";r=5;t=60' }, 5, 60_000],
    ["the draft in between", { ratelimit: "limit=100, remaining=50, reset=5" }, 50, 5000],
    ["the draft before", { "ratelimit-limit": "100", "ratelimit-remaining": "7", "ratelimit-reset": "20" }, 7, 20_000],
    ["the old spelling", { "x-ratelimit-remaining": "0", "x-ratelimit-reset": "3" }, 0, 3000],
    ["a moment since 1970", { "x-ratelimit-remaining": "4", "x-ratelimit-reset": String(NOW / 1000 + 90) }, 4, 90_000],
  ])("%s", (_, headers: Record<string, string>, remaining, resetMs) => {
    expect(readRateHeaders(headers, NOW)).toEqual({ remaining, resetMs });
  });

  test.each([
    ["nothing", {}],
    ["a part", { "x-ratelimit-remaining": "5" }],
    ["words", { "ratelimit-remaining": "many", "ratelimit-reset": "soon" }],
    ["a reset that is over", { "x-ratelimit-remaining": "5", "x-ratelimit-reset": String(NOW / 1000 - 1) }],
    ["a reset beyond any window", { "ratelimit-remaining": "0", "ratelimit-reset": "999999" }],
    ["a policy without a state", { ratelimit: '"default";q=100;w=10' }],
  ])("says nothing for %s", (_, headers: Record<string, string>) => {
    expect(readRateHeaders(headers, NOW)).toBeUndefined();
  });

  test("whatever a server sends, it is a bounded wait or nothing", () => {
    const value = fc.oneof(fc.string(), fc.stringMatching(/^"?[a-z]*"?;?r=\d*;t=\d*,?$/), fc.bigInt().map(String));
    fc.assert(
      fc.property(value, value, value, (ratelimit, remaining, reset) => {
        const told = readRateHeaders({ ratelimit, "x-ratelimit-remaining": remaining, "x-ratelimit-reset": reset }, NOW);
        if (told === undefined) return;
        expect(told.resetMs).toBeGreaterThan(0);
        expect(told.resetMs).toBeLessThanOrEqual(3_600_000);
        expect(told.remaining).toBeGreaterThanOrEqual(0);
      }),
    );
  });
});
