import { describe, expect, test } from "vitest";
import { formatBytes } from "../../src/base/byte-count.ts";

describe("formatBytes", () => {
  test.each([
    [0, "0 B"],
    [999, "999 B"],
    [1_234, "1.2 kB"],
    [9_960, "10 kB"],
    [999_600, "1.0 MB"],
    [34_000_000, "34 MB"],
    [5e12, "5.0 TB"],
    [5e18, "5000 PB"],
  ])("%d", (bytes, text) => expect(formatBytes(bytes)).toBe(text));
});
