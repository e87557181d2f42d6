import { describe, expect, test } from "vitest";
import { aboutTime, formatDuration, parseDuration } from "../../src/core/base/time.ts";

describe("parseDuration", () => {
  test.each([
    ["90s", 90_000],
    ["30m", 1_800_000],
    ["1.5h", 5_400_000],
    ["2d", 172_800_000],
  ])("%s", (text, ms) => expect(parseDuration(text)).toBe(ms));

  test.each(["", "10", "-5s", "5 s", "1w", "1e9d", "NaNs", `${"9".repeat(400)}d`])("refuses %j", (text) => {
    expect(parseDuration(text)).toBeUndefined();
  });
});

test.each([
  [0, "0 ms"],
  [850, "850 ms"],
  [12_000, "12 s"],
  [200_000, "3 min 20 s"],
  [3_600_000, "1 h"],
  [18_600_000, "5 h 10 min"],
  [532_800_000, "6 d 4 h"],
  [Number.POSITIVE_INFINITY, "unknown"],
])("formatDuration %d", (ms, text) => expect(formatDuration(ms)).toBe(text));

describe("aboutTime", () => {
  const at = Date.UTC(2026, 10, 21, 10, 0, 3, 250);

  test("says no more than is known", () => {
    expect(aboutTime(at, 0)).toBe("2026-11-21T10:00:03Z");
    expect(aboutTime(at, 999)).toBe("2026-11-21T10:00:03Z");
    expect(aboutTime(at, 40_000)).toBe("about 2026-11-21T10:00Z (± 40 s)");
    expect(aboutTime(at, null)).toBe("at the latest 2026-11-21T10:00Z");
    expect(aboutTime(null, null)).toBeUndefined();
  });
});
