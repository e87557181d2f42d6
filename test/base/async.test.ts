import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { forEachConcurrent, memoize } from "../../src/core/base/async.ts";
import { holdsFor } from "../support/property/law.ts";

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

describe("forEachConcurrent", () => {
  test("does every item once and never more than `width` at a time, without reading ahead; the first error wins", async () => {
    const item = fc.record({ turns: fc.nat(5), fails: fc.boolean() }, { noNullPrototype: true });
    const failing = fc.oneof(fc.constant(false), fc.boolean());
    await holdsFor(100, [fc.array(item, { maxLength: 40 }), fc.integer({ min: 1, max: 6 }), failing], async (items, width, mayFail) => {
      const [begun, done, failed]: [number[], number[], number[]] = [[], [], []];
      let [taken, begunAfterFailure] = [0, 0];
      function* source() {
        for (const index of items.keys()) {
          taken += 1;
          yield index;
        }
      }
      const work = async (index: number) => {
        begun.push(index);
        begunAfterFailure += failed.length;
        expect(taken - done.length - failed.length).toBeLessThanOrEqual(width);
        for (let i = 0; i < (items[index]?.turns ?? 0); i++) await turn();
        if (mayFail && items[index]?.fails) {
          failed.push(index);
          throw index;
        }
        done.push(index);
      };
      const thrown = await forEachConcurrent(source(), width, work).then(
        () => undefined,
        (error: unknown) => error,
      );
      expect(thrown).toBe(failed[0]);
      expect(begunAfterFailure).toBe(0);
      expect(begun).toEqual([...begun.keys()]);
      expect([...done, ...failed].sort((a, b) => a - b)).toEqual(begun);
      if (failed.length === 0) expect(begun).toHaveLength(items.length);
    });
  });

  test("waits for what is in hand where the source itself fails", async () => {
    const finished: number[] = [];
    async function* source() {
      yield 1;
      throw new Error("no more");
    }
    const work = async (item: number) => {
      await turn();
      await turn();
      finished.push(item);
    };
    await expect(forEachConcurrent(source(), 2, work)).rejects.toThrow("no more");
    expect(finished).toEqual([1]);
  });

  test("stops taking when told and finishes what is in hand", async () => {
    let stopped = false;
    const finished: number[] = [];
    await forEachConcurrent(
      [1, 2, 3, 4, 5, 6],
      2,
      async (item) => {
        await turn();
        if (item === 2) stopped = true;
        finished.push(item);
      },
      () => stopped,
    );
    // 3 was already in hand when 2 said stop.
    expect(finished.sort()).toEqual([1, 2, 3]);
  });
});

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
