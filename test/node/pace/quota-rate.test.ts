import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { silentLog } from "../../../src/base/log.ts";
import { breakerLimits } from "../../../src/node/pace/breaker.ts";
import { openPace } from "../../../src/node/pace/pace.ts";
import { QuotaRate } from "../../../src/node/pace/quota-rate.ts";
import { ManualClock } from "../../support/manual-clock.ts";

describe("QuotaRate", () => {
  test("nothing told, nothing held back; what is told is spread over the time until the reset, and is over then", () => {
    const rate = new QuotaRate();
    expect(rate.perSecond(0)).toBe(Number.POSITIVE_INFINITY);
    expect(rate.observe({ remaining: 30, resetMs: 10_000 }, 0)).toBeUndefined();
    expect(rate.perSecond(0)).toBe(3);
    for (let count = 0; count < 10; count++) rate.sent();
    expect(rate.perSecond(5000)).toBe(4);
    expect(rate.perSecond(10_000)).toBe(Number.POSITIVE_INFINITY);
  });

  test("nothing left is a pause until the reset", () => {
    expect(new QuotaRate().observe({ remaining: 0, resetMs: 7000 }, 1000)).toBe(8000);
  });

  test("what a request costs is measured, so that compute units are no requests", () => {
    const rate = new QuotaRate();
    rate.sent();
    rate.observe({ remaining: 10_000, resetMs: 100_000 }, 0);
    rate.sent();
    rate.observe({ remaining: 9750, resetMs: 99_000 }, 1000);
    expect(rate.perSecond(1000)).toBeCloseTo(39 / 99, 6);
  });

  test("the cost is that of each of the requests sent since, not measured across windows, and below one unit is one", () => {
    const rate = new QuotaRate();
    rate.observe({ remaining: 100, resetMs: 10_000 }, 0);
    for (let count = 0; count < 4; count++) rate.sent();
    rate.observe({ remaining: 80, resetMs: 10_000 }, 0);
    expect(rate.perSecond(0)).toBe(1.6);
    // Fewer units than a request costs are none.
    expect(rate.observe({ remaining: 4, resetMs: 10_000 }, 0)).toBe(10_000);
    const next = new QuotaRate();
    next.observe({ remaining: 100, resetMs: 1_000 }, 0);
    next.sent();
    next.observe({ remaining: 50, resetMs: 10_000 }, 1_000);
    expect(next.perSecond(1_000)).toBe(5);
    for (let count = 0; count < 10; count++) next.sent();
    next.observe({ remaining: 45, resetMs: 10_000 }, 1_000);
    expect(next.perSecond(1_000)).toBe(4.5);
  });

  test("an answer that was overtaken does not give back what is spent", () => {
    const rate = new QuotaRate();
    rate.observe({ remaining: 5, resetMs: 10_000 }, 0);
    rate.observe({ remaining: 6, resetMs: 9990 }, 10);
    expect(rate.perSecond(10)).toBeCloseTo(0.5, 2);
  });
});

/** A server that lets `units` through in each window of `windowMs`, and says so. */
function serverOf(units: number, cost: number, windowMs: number) {
  let left = units;
  let windowAt = 0;
  return (nowMs: number): { readonly isRefused: boolean; readonly remaining: number; readonly resetMs: number } => {
    if (nowMs - windowAt >= windowMs) {
      windowAt += Math.floor((nowMs - windowAt) / windowMs) * windowMs;
      left = units;
    }
    const isRefused = left < cost;
    if (!isRefused) left -= cost;
    return { isRefused, remaining: left, resetMs: Math.ceil((windowAt + windowMs - nowMs) / 1000) * 1000 };
  };
}

describe("Pace with a server that tells its limit", () => {
  test("is not refused once it knows what a request costs, uses what it is given, and never exceeds its own rate", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 4, max: 60 }),
        fc.constantFrom(1, 3, 250),
        fc.integer({ min: 2, max: 30 }),
        fc.constantFrom(0, 0.4, 5),
        async (perWindow, cost, windowSeconds, asked) => {
          const clock = new ManualClock({ skipSleeps: true });
          const pace = openPace({ perSecond: asked, clock, random: () => 0.5, log: silentLog, breaker: breakerLimits });
          const start = clock.monotonic();
          const server = serverOf(perWindow * cost, cost, windowSeconds * 1000);
          let refused = 0;
          const requests = perWindow * 6;
          for (let sent = 0; sent < requests; sent++) {
            await pace.turn(Number.POSITIVE_INFINITY, undefined);
            const answer = server(clock.monotonic() - start);
            pace.quota(answer);
            if (answer.isRefused) refused += 1;
          }
          const seconds = (clock.monotonic() - start) / 1000;
          expect(refused).toBe(0);
          if (asked > 0) expect(requests).toBeLessThanOrEqual(seconds * asked + 2);
          // All requests of six windows in at most eight windows, plus one second for a late reset, unless the requested rate is lower.
          const fastest = Math.max((windowSeconds + 1) * 8, asked > 0 ? requests / asked + windowSeconds : 0);
          expect(seconds).toBeLessThanOrEqual(fastest);
        },
      ),
      { numRuns: 60 },
    );
  });
});
