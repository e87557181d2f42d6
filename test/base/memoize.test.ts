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

test("asks again what failed", async () => {
  let asked = 0;
  const flaky = memoize(2, String, async (number: number) => {
    asked += 1;
    if (asked === 1) throw new Error("away");
    return number;
  });
  await expect(flaky(7)).rejects.toThrow("away");
  expect([await flaky(7), await flaky(7), asked]).toEqual([7, 7, 2]);
});
