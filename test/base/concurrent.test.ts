import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { forEachConcurrent } from "../../src/base/concurrent.ts";

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

describe("forEachConcurrent", () => {
  test("does every item once and never more than `width` at a time, without reading ahead", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(5), { maxLength: 40 }), fc.integer({ min: 1, max: 6 }), async (turns, width) => {
        let running = 0;
        let peak = 0;
        let taken = 0;
        const done: number[] = [];
        function* source() {
          for (const [index, count] of turns.entries()) {
            taken = index + 1;
            yield { index, count };
          }
        }
        await forEachConcurrent(source(), width, async ({ index, count }) => {
          running += 1;
          peak = Math.max(peak, running);
          expect(taken - done.length).toBeLessThanOrEqual(width);
          for (let i = 0; i < count; i++) await turn();
          running -= 1;
          done.push(index);
        });
        expect(peak).toBeLessThanOrEqual(width);
        expect(done.sort((a, b) => a - b)).toEqual(turns.map((_, index) => index));
      }),
      { numRuns: 50 },
    );
  });

  test("after an error takes nothing more, waits for what is in hand, and throws the first error", async () => {
    const finished: number[] = [];
    let taken = 0;
    function* source() {
      for (let i = 0; i < 100; i++) {
        taken += 1;
        yield i;
      }
    }
    const work = async (item: number) => {
      await turn();
      if (item === 1) throw new Error("first");
      await turn();
      finished.push(item);
    };
    await expect(forEachConcurrent(source(), 3, work)).rejects.toThrow("first");
    expect(finished).toContain(0);
    expect(finished).toContain(2);
    expect(taken).toBeLessThan(8);
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
