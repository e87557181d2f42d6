import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Breaker, breakerLimits } from "../../../src/node/pace/breaker.ts";

const limits = { ...breakerLimits, failures: 3, firstRestMs: 1000, longestRestMs: 4000, giveUpMs: 20_000, giveUpUnseenMs: 5000 };

function openBreaker(nowMs = 0, seen = true): Breaker {
  const breaker = new Breaker(limits);
  if (seen) breaker.answered();
  for (let count = 0; count < 3; count++) breaker.failed(nowMs, "/a", "down");
  return breaker;
}

describe("Breaker", () => {
  test("opens after failures in a row, lets one probe through after a rest, and closes at a sign of life", () => {
    const breaker = openBreaker();
    expect(breaker.waitMs(0)).toBe(1000);
    expect(breaker.waitMs(1000)).toBe(0);
    breaker.sent();
    expect(breaker.waitMs(1000)).toBe(Number.POSITIVE_INFINITY);
    breaker.answered();
    expect(breaker.waitMs(1000)).toBe(0);
    expect(breaker.isClosed).toBe(true);
  });

  test("a sign of life between failures starts the count anew", () => {
    const breaker = new Breaker(limits);
    for (let count = 0; count < 20; count++) {
      breaker.failed(count, "/a", "down");
      breaker.failed(count, "/b", "down");
      breaker.answered();
    }
    expect(breaker.isClosed).toBe(true);
  });

  test("each failed probe doubles the rest, up to the longest", () => {
    const breaker = openBreaker();
    const rests: number[] = [];
    let now = 0;
    for (let count = 0; count < 4; count++) {
      rests.push(breaker.waitMs(now));
      now += breaker.waitMs(now);
      breaker.sent();
      breaker.failed(now, "/a", "down");
    }
    expect(rests).toEqual([1000, 2000, 4000, 4000]);
  });

  test("one request's own trouble does not open it, two requests' does", () => {
    const breaker = new Breaker(limits);
    for (let count = 0; count < 50; count++) breaker.failed(0, "/heavy", "suspect");
    expect(breaker.isClosed).toBe(true);
    breaker.failed(0, "/other", "suspect");
    expect(breaker.isClosed).toBe(false);
  });

  test("opens at the failures that are its limit, not before", () => {
    const breaker = new Breaker(limits);
    breaker.failed(0, "/a", "down");
    breaker.failed(0, "/b", "down");
    expect(breaker.isClosed).toBe(true);
    breaker.failed(0, "/a", "down");
    expect(breaker.isClosed).toBe(false);
  });

  test("a sign of life takes back what was suspected before", () => {
    for (const how of ["down", "suspect"] as const) {
      const breaker = new Breaker(limits);
      breaker.failed(0, "/other", how);
      breaker.answered();
      for (let count = 0; count < 50; count++) breaker.failed(0, "/heavy", "suspect");
      expect(breaker.isClosed).toBe(true);
    }
  });

  test("requests that were out when it opened do not make its rest longer", () => {
    const breaker = openBreaker();
    breaker.failed(500, "/late", "down");
    expect(breaker.waitMs(500)).toBe(500);
    breaker.abandoned(600);
    expect(breaker.waitMs(600)).toBe(400);
  });

  test("a request that is abandoned while it is closed changes nothing", () => {
    const breaker = new Breaker(limits);
    breaker.abandoned(10);
    expect([breaker.isClosed, breaker.waitMs(10)]).toEqual([true, 0]);
  });

  test("the time of silence counts from the first failure", () => {
    const breaker = openBreaker(30_000);
    breaker.sent();
    breaker.failed(30_000 + 19_999, "/a", "down");
    expect(breaker.givenUpAfterMs(49_999)).toBeUndefined();
    expect(breaker.givenUpAfterMs(50_000)).toBe(20_000);
  });

  test("an abandoned probe leaves room for the next", () => {
    const breaker = openBreaker();
    breaker.sent();
    breaker.abandoned(1500);
    expect(breaker.waitMs(1500)).toBe(0);
  });

  test("gives a node up while it rests, earlier when it never answered, and still probes afterwards", () => {
    for (const [seen, limit] of [
      [true, 20_000],
      [false, 5000],
    ] as const) {
      const breaker = openBreaker(0, seen);
      breaker.sent();
      breaker.failed(limit - 1, "/a", "down");
      expect(breaker.givenUpAfterMs(limit - 1)).toBeUndefined();
      expect(breaker.givenUpAfterMs(limit)).toBe(limit);
      expect(breaker.givenUpAfterMs(limit + limits.longestRestMs)).toBeUndefined();
    }
  });

  test("whatever happens, the wait is never negative and ends, but for a probe that is out", () => {
    const event = fc.record({
      gapMs: fc.integer({ min: 0, max: 3000 }),
      what: fc.constantFrom("sent", "down", "suspect", "answered", "abandoned"),
    });
    fc.assert(
      fc.property(fc.array(event, { maxLength: 100 }), (events) => {
        const breaker = new Breaker(limits);
        let now = 0;
        let isOut = false;
        for (const { gapMs, what } of events) {
          now += gapMs;
          if (what === "sent" && breaker.waitMs(now) === 0) {
            isOut = !breaker.isClosed;
            breaker.sent();
          } else if (what === "answered") breaker.answered();
          else if (what === "abandoned") breaker.abandoned(now);
          else if (what !== "sent") breaker.failed(now, `/${now % 3}`, what);
          if (what !== "sent") isOut = false;
          const wait = breaker.waitMs(now);
          expect(wait).toBeGreaterThanOrEqual(0);
          expect(wait === Number.POSITIVE_INFINITY).toBe(isOut);
          if (!isOut) expect(wait).toBeLessThanOrEqual(limits.longestRestMs);
        }
      }),
    );
  });
});
