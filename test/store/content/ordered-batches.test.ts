import { setImmediate } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { BatchOrder } from "../../../src/store/content/beside/batch-order.ts";
import { OrderedBatches } from "../../../src/store/content/beside/ordered-batches.ts";

/** Two that derive from one list, each step of which takes some turns of the event loop, and may fail. */
class World {
  readonly order = new BatchOrder();
  readonly stored: number[] = [];
  readonly #ids: readonly number[];
  readonly #turns: readonly number[];
  readonly #size: number;
  readonly #failing: { readonly step: string; readonly id: number } | undefined;
  #at = 0;
  #isStoring = false;

  constructor({ ids, turns, size, failing }: Course) {
    this.#ids = ids;
    this.#turns = turns;
    this.#size = size;
    this.#failing = failing;
  }

  /** As another thread would have it: other objects on the same memory. */
  worker(): OrderedBatches<{ id: number }, number, readonly number[]> {
    return new OrderedBatches(
      {
        read: async (after, limit) => {
          await this.#step("read", after);
          return this.#ids
            .filter((id) => id > after)
            .slice(0, limit)
            .map((id) => ({ id }));
        },
        derive: async ({ id }) => {
          await this.#step("derive", id);
          return id;
        },
        gather: (batch) => batch,
        store: async (batch: readonly number[]) => {
          expect(this.#isStoring).toBe(false);
          this.#isStoring = true;
          try {
            for (const id of batch) await this.#step("store", id);
            this.stored.push(...batch);
          } finally {
            this.#isStoring = false;
          }
        },
      },
      new BatchOrder(this.order.shared),
      this.#size,
    );
  }

  async #step(step: string, id: number): Promise<void> {
    const turns = this.#turns[this.#at++ % this.#turns.length] as number;
    for (let i = 0; i < turns; i++) await setImmediate();
    if (this.#failing?.step === step && this.#failing.id === id) throw new Error(`${step} ${id}`);
  }
}

type Course = {
  readonly ids: readonly number[];
  readonly turns: readonly number[];
  readonly size: number;
  readonly failing?: { readonly step: string; readonly id: number };
};

const ids = fc.uniqueArray(fc.integer({ min: 1, max: 500 }), { maxLength: 60 }).map((list) => list.toSorted((a, b) => a - b));
const course = fc.record({
  ids,
  turns: fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 1, maxLength: 12 }),
  size: fc.integer({ min: 1, max: 9 }),
});

describe("two that derive in one order", () => {
  test("store everything once, in its order, one at a time", async () => {
    await fc.assert(
      fc.asyncProperty(course, async (how) => {
        const world = new World(how);
        const both = [world.worker(), world.worker()].map((worker) => worker.derive({ isEnding: true }));
        expect(await Promise.all(both)).toEqual([true, true]);
        expect(world.stored).toEqual(how.ids);
      }),
      { numRuns: 200 },
    );
  });

  test("both end where a step fails, and what is stored has no gap", async () => {
    const failing = fc.record({ step: fc.constantFrom("derive", "store"), place: fc.nat() });
    await fc.assert(
      fc.asyncProperty(course, failing, async (how, { step, place }) => {
        fc.pre(how.ids.length > 0);
        const id = how.ids[place % how.ids.length] as number;
        const world = new World({ ...how, failing: { step, id } });
        const both = [world.worker(), world.worker()].map((worker) => worker.derive({ isEnding: true }));
        const ends = await Promise.allSettled(both);
        expect(ends.filter(({ status }) => status === "rejected").length).toBeLessThanOrEqual(1);
        expect(world.order.isGivenUp).toBe(true);
        expect(world.stored).toEqual(how.ids.slice(0, world.stored.length));
        expect(world.stored).not.toContain(id);
      }),
      { numRuns: 200 },
    );
  });

  test("both end at the signal of one, and what is stored has no gap", async () => {
    await fc.assert(
      fc.asyncProperty(course, fc.integer({ min: 0, max: 100 }), async (how, turns) => {
        const world = new World(how);
        const ending = new AbortController();
        const both = [
          world.worker().derive({ isEnding: true, signal: ending.signal }),
          world.worker().derive({ isEnding: true, signal: ending.signal }),
        ];
        for (let i = 0; i < turns; i++) await setImmediate();
        ending.abort();
        await Promise.all(both);
        expect(world.stored).toEqual(how.ids.slice(0, world.stored.length));
      }),
      { numRuns: 200 },
    );
  });

  test("one goes on alone where the other takes nothing, and neither where the other took something and is gone", async () => {
    const world = new World({ ids: [1, 2, 3, 4, 5], turns: [0], size: 2 });
    expect(await world.worker().derive({ isEnding: false })).toBe(true);
    expect(world.stored).toEqual([1, 2, 3, 4]);
    expect(await world.worker().derive({ isEnding: true })).toBe(true);
    expect(world.stored).toEqual([1, 2, 3, 4, 5]);

    const left = new World({ ids: [1, 2, 3, 4, 5], turns: [0], size: 2 });
    expect(left.order.take(0, 2)).toBe(true);
    const waiting = left.worker().derive({ isEnding: true });
    for (let i = 0; i < 10; i++) await setImmediate();
    left.order.giveUp();
    expect(await waiting).toBe(false);
    expect(left.stored).toEqual([]);
    expect(await left.worker().derive({ isEnding: true })).toBe(false);
  });
});
