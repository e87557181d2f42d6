import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { RetryPolicy } from "../../../src/node/protocol/error-classes.ts";
import { backoffMs, clampRetryAfter, parseRetryAfter } from "../../../src/node/protocol/node-error.ts";

const now = Date.UTC(2026, 0, 1);

describe("parseRetryAfter", () => {
  test.each([
    ["120", 120_000],
    [" 5 ", 5000],
    [new Date(now + 30_000).toUTCString(), 30_000],
    ["0", undefined],
    ["-1", undefined],
    ["1.5", undefined],
    ["soon", undefined],
    ["", undefined],
    ["99999999999999", undefined],
    [new Date(now - 30_000).toUTCString(), undefined],
  ])("reads %j as %j ms", (text, expected) => {
    expect(parseRetryAfter(text, undefined, now)).toBe(expected);
  });

  test("measures a date against the server's clock, not ours", () => {
    const ahead = now + 3_600_000;
    expect(parseRetryAfter(new Date(ahead + 7000).toUTCString(), new Date(ahead).toUTCString(), now)).toBe(7000);
  });

  test("takes any text without a foreign error", () => {
    fc.assert(
      fc.property(fc.string(), fc.option(fc.string(), { nil: undefined }), (text, date) => {
        const wait = parseRetryAfter(text, date, now);
        expect(wait === undefined || wait > 0).toBe(true);
      }),
    );
  });
});

describe("waits", () => {
  const policy: RetryPolicy = { attempts: 9, withinMs: 1, shortestMs: 100, firstMs: 1000, longestMs: 20_000 };

  test("a backoff doubles its bound up to the longest and keeps above the shortest", () => {
    expect([1, 2, 3, 9, 2000].map((failures) => backoffMs(policy, failures, 0.999_999))).toEqual([
      expect.closeTo(1000, 1),
      expect.closeTo(2000, 1),
      expect.closeTo(4000, 1),
      expect.closeTo(20_000, 0),
      expect.closeTo(20_000, 0),
    ]);
    expect(backoffMs(policy, 5, 0)).toBe(100);
  });

  test("what the server asks for is kept between the shortest and the longest", () => {
    expect([1, 5000, 9_999_999].map((asked) => clampRetryAfter(policy, asked))).toEqual([100, 5000, 20_000]);
  });
});
