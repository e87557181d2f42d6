import { expect, test } from "vitest";
import { seededRandom } from "../../src/base/random.ts";

test("the same seed gives the same numbers, from 0 up to 1 and evenly enough", () => {
  const [random, again, other] = [seededRandom(7), seededRandom(7), seededRandom(8)];
  const numbers = Array.from({ length: 10_000 }, random);
  expect(numbers).toEqual(Array.from({ length: 10_000 }, again));
  expect(numbers).not.toEqual(Array.from({ length: 10_000 }, other));
  expect(numbers.every((number) => number >= 0 && number < 1)).toBe(true);
  const tenths = numbers.reduce(
    (counts, number) => counts.with(Math.floor(number * 10), (counts[Math.floor(number * 10)] ?? 0) + 1),
    new Array<number>(10).fill(0),
  );
  expect(tenths.every((count) => count > 850 && count < 1150)).toBe(true);
});
