import { expect, test } from "vitest";
import { memoize } from "../../src/base/memoize.ts";

test("asks once for each answer that is kept, and keeps them all while nothing new is asked", async () => {
  const asked: number[] = [];
  const double = memoize(2, String, async (number: number) => 2 * asked.push(number));
  for (const number of [1, 2, 1, 2, 1]) await double(number);
  expect(asked).toEqual([1, 2]);
  for (const number of [3, 1]) await double(number);
  expect(asked).toEqual([1, 2, 3, 1]);
});
