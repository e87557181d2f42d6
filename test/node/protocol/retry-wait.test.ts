import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseRetryAfter } from "../../../src/core/node/protocol/node-error.ts";

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
