import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { formatHex, parseHex } from "../../src/core/base/bytes.ts";
import { formatBytes } from "../../src/core/base/plural.ts";
import { parseU64, U64_MAX } from "../../src/core/base/u64.ts";

describe("parseHex", () => {
  test("turns back what formatHex writes, with or without 0x, in either case", () => {
    fc.assert(
      fc.property(fc.uint8Array(), fc.boolean(), fc.boolean(), (bytes, prefix, upper) => {
        const digits = upper ? formatHex(bytes).toUpperCase() : formatHex(bytes);
        expect(parseHex(prefix ? `0x${digits}` : digits)).toEqual(bytes);
      }),
    );
  });

  test.each(["0", "0x0", "zz", "0x1g", "0X00", " 00", "00\n"])("refuses %j", (text) => expect(parseHex(text)).toBeUndefined());
});

describe("parseU64", () => {
  test("takes every u64 in decimal, exactly", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: U64_MAX }), (value) => {
        expect(parseU64(value.toString())).toBe(value);
      }),
    );
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
