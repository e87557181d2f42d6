import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { formatHex, parseHex } from "../../src/core/base/bytes.ts";
import { parseU64, U64_MAX } from "../../src/core/base/numbers.ts";
import { formatBytes } from "../../src/core/base/plural.ts";
import { aboutTime, formatDuration, parseDuration } from "../../src/core/base/time.ts";
import { law } from "../support/property/law.ts";

describe("parseHex", () => {
  law(
    "turns back what formatHex writes, with or without 0x, in either case",
    100,
    [fc.uint8Array(), fc.boolean(), fc.boolean()],
    (bytes, prefix, upper) => {
      const digits = upper ? formatHex(bytes).toUpperCase() : formatHex(bytes);
      expect(parseHex(prefix ? `0x${digits}` : digits)).toEqual(bytes);
    },
  );

  test.each(["0", "0x0", "zz", "0x1g", "0X00", " 00", "00\n"])("refuses %j", (text) => expect(parseHex(text)).toBeUndefined());
});

describe("parseU64", () => {
  law("takes every u64 in decimal, exactly", 100, [fc.bigInt({ min: 0n, max: U64_MAX })], (value) => {
    expect(parseU64(value.toString())).toBe(value);
  });

  test.each(["", "-1", "+1", "01", "1.0", "1e3", " 1", "18446744073709551616", "99999999999999999999999", "0x10"])("refuses %j", (text) =>
    expect(parseU64(text)).toBeUndefined(),
  );
});

test.each([
  [0, "0 B"],
  [999, "999 B"],
  [1_234, "1.2 kB"],
  [9_960, "10 kB"],
  [999_600, "1.0 MB"],
  [34_000_000, "34 MB"],
  [5e12, "5.0 TB"],
  [5e18, "5000 PB"],
])("formatBytes %d", (bytes, text) => expect(formatBytes(bytes)).toBe(text));

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
