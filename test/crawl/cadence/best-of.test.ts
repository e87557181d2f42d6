import fc from "fast-check";
import { expect, test } from "vitest";
import { bestOf } from "../../../src/crawl/cadence/night-choice.ts";

type Item = { readonly value: number; readonly cost: number };
const compare = (a: Item, b: Item): number => b.value - a.value;

/** What sorting everything gives: the first ones, until their costs reach the limit. */
function sorted(items: readonly Item[], limit: number): Item[] {
  const best: Item[] = [];
  let cost = 0;
  for (const item of items.toSorted(compare)) {
    if (cost >= limit) break;
    best.push(item);
    cost += item.cost;
  }
  return best;
}

test("what sorting everything would give, the earlier of equal ones first", () => {
  // Few values, so that many are equal; more items than are gathered at a time.
  const item = fc.record({ value: fc.integer({ min: 0, max: 40 }), cost: fc.integer({ min: 1, max: 5 }) });
  fc.assert(
    fc.property(fc.array(item, { minLength: 0, maxLength: 5000, size: "max" }), fc.integer({ min: 0, max: 60 }), (items, limit) => {
      const best = bestOf<Item>(limit, ({ cost }) => cost, compare);
      for (const one of items) best.offer(one);
      const ranked = best.ranked();
      const wanted = sorted(items, limit);
      expect(ranked).toHaveLength(wanted.length);
      for (const [at, one] of ranked.entries()) expect(one).toBe(wanted[at]);
    }),
    // To make a list of thousands smaller would take hours.
    { numRuns: 30, endOnFailure: true },
  );
});

test("nothing, however much is offered, where the limit allows for nothing", () => {
  const best = bestOf<Item>(0, ({ cost }) => cost, compare);
  for (let value = 0; value < 3000; value++) best.offer({ value, cost: 1 });
  expect(best.ranked()).toEqual([]);
});
