import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { AdaptiveRate } from "../../../src/node/pace/adaptive-rate.ts";

describe("AdaptiveRate", () => {
  test("halves on a complaint and recovers in a straight line", () => {
    const rate = new AdaptiveRate(10, 0);
    rate.complain(0, 10);
    expect(rate.perSecond(0)).toBe(5);
    expect(rate.perSecond(10_000)).toBeCloseTo(6);
    expect(rate.perSecond(1_000_000)).toBe(10);
  });

  test("stays above zero and never above the ceiling, whatever the node says", () => {
    const step = fc.record({ gapMs: fc.integer({ min: -10_000, max: 100_000 }), complains: fc.boolean() });
    fc.assert(
      fc.property(fc.double({ min: 0.01, max: 1000, noNaN: true }), fc.array(step, { maxLength: 200 }), (ceiling, steps) => {
        const rate = new AdaptiveRate(ceiling, 0);
        let now = 0;
        for (const { gapMs, complains } of steps) {
          now += gapMs;
          if (complains) rate.complain(now, ceiling);
          expect(rate.perSecond(now)).toBeGreaterThan(Math.min(ceiling, 1 / 60) / 1.0001);
          expect(rate.perSecond(now)).toBeLessThanOrEqual(ceiling);
        }
      }),
    );
  });

  test("without a ceiling a complaint sets one at half of what was sent, which is forgotten later", () => {
    const rate = new AdaptiveRate(Number.POSITIVE_INFINITY, 0);
    expect(rate.perSecond(5000)).toBe(Number.POSITIVE_INFINITY);
    rate.complain(5000, 100);
    expect(rate.perSecond(5000)).toBe(50);
    expect(rate.perSecond(105_000)).toBeCloseTo(150);
    expect(rate.perSecond(200_000)).toBe(Number.POSITIVE_INFINITY);
  });
});
