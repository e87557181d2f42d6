import { describe, expect, test } from "vitest";
import { Breaker, breakerLimits } from "../../../src/node/pace/limits.ts";

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

  test("one request's own trouble does not open it, two requests' does", () => {
    const breaker = new Breaker(limits);
    for (let count = 0; count < 50; count++) breaker.failed(0, "/heavy", "suspect");
    expect(breaker.isClosed).toBe(true);
    breaker.failed(0, "/other", "suspect");
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

  test("the time of silence counts from the first failure", () => {
    const breaker = openBreaker(30_000);
    breaker.sent();
    breaker.failed(30_000 + 19_999, "/a", "down");
    expect(breaker.givenUpAfterMs(49_999)).toBeUndefined();
    expect(breaker.givenUpAfterMs(50_000)).toBe(20_000);
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
});
