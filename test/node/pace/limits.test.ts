import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Breaker, breakerLimits, RateLimit } from "../../../src/core/node/pace/limits.ts";
import { holdsFor } from "../../support/property/law.ts";

describe("RateLimit", () => {
  test("in any stretch of t seconds no more than rate × t + max(1, rate / 20) requests go, whatever the node says", async () => {
    const step = fc.record({ gapMs: fc.integer({ min: 0, max: 3000 }), complains: fc.boolean() });
    await holdsFor(150, [fc.double({ min: 0.05, max: 200, noNaN: true }), fc.array(step, { maxLength: 60 })], (perSecond, steps) => {
      const limit = new RateLimit(perSecond);
      const sentMs: number[] = [];
      let now = 0;
      for (const { gapMs, complains } of steps) {
        now += gapMs;
        if (complains) limit.complain(now);
        expect(limit.perSecond(now)).toBeLessThanOrEqual(perSecond);
        expect(limit.perSecond(now)).toBeGreaterThan(Math.min(perSecond, 1 / 60) / 1.0001);
        while (limit.waitMs(now) === 0) {
          limit.take(now);
          sentMs.push(now);
        }
      }
      for (const [first, from] of sentMs.entries()) {
        for (const [index, to] of sentMs.slice(first).entries())
          expect(index + 1).toBeLessThanOrEqual((perSecond * (to - from)) / 1000 + Math.max(1, perSecond / 20) + 1e-6);
      }
    });
  });

  test("without a limit requests go at once; a complaint sets a limit at half of what was sent lately, which is forgotten later", () => {
    const limit = new RateLimit(Number.POSITIVE_INFINITY);
    for (let now = 0; now < 60_000; now += 10) {
      expect(limit.waitMs(now)).toBe(0);
      limit.take(now);
    }
    expect(limit.perSecond(60_000)).toBe(Number.POSITIVE_INFINITY);
    limit.complain(60_000);
    expect(limit.perSecond(60_000)).toBeCloseTo(50, 0);
    expect(limit.perSecond(160_000)).toBeCloseTo(150, 0);
    expect(limit.perSecond(250_000)).toBe(Number.POSITIVE_INFINITY);
  });
});

describe("Breaker", () => {
  const limits = { ...breakerLimits, failures: 3 };

  test("a sign of life takes back what was suspected before", () => {
    for (const how of ["down", "suspect"] as const) {
      const breaker = new Breaker(limits);
      breaker.failed(0, "/other", how);
      breaker.answered();
      for (let count = 0; count < 50; count++) breaker.failed(0, "/heavy", "suspect");
      expect(breaker.isClosed).toBe(true);
    }
  });

  test("gives a node up while it rests, and still probes afterwards", () => {
    const breaker = new Breaker(limits);
    for (let count = 0; count < limits.failures; count++) breaker.failed(0, "/a", "down");
    breaker.sent();
    const { giveUpUnseenMs, longestRestMs } = limits;
    breaker.failed(giveUpUnseenMs - 1, "/a", "down");
    expect(breaker.givenUpAfterMs(giveUpUnseenMs)).toBe(giveUpUnseenMs);
    expect(breaker.givenUpAfterMs(giveUpUnseenMs + longestRestMs)).toBeUndefined();
  });
});
