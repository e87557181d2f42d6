import { expect, test } from "vitest";
import { NumberSet } from "../../src/base/number-set.ts";

test("a set of numbers has what was added, however great, and nothing else", () => {
  const set = new NumberSet();
  const added = [0, 1, 7, 8, 8191, 8192, 3_000_000];
  for (const number of added) set.add(number);
  expect(added.every((number) => set.has(number))).toBe(true);
  expect([2, 9, 8190, 8193, 2_999_999, 3_000_001, 100_000_000].some((number) => set.has(number))).toBe(false);
});
