import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Candidate, planReads } from "../../../src/crawl/cadence/night-order.ts";

const candidate = fc.record({
  rate: fc.double({ min: 0, max: 5, noNaN: true }),
  age: fc.option(fc.integer({ min: 1, max: 60 }), { nil: undefined }),
  requests: fc.integer({ min: 1, max: 9 }),
  isParked: fc.boolean(),
});
const night = (requests: number, maxAge = 30) => ({ requests, maxAge, nightly: 1, within: 1 });

describe("planReads", () => {
  test("never read, overdue, the oldest of the rest, then what changes most per request", () => {
    const [fresh, overdue, old, busy, calm, dear]: Candidate[] = [
      { rate: 0, age: undefined, requests: 2 },
      { rate: 0, age: 30, requests: 2 },
      { rate: 0, age: 29, requests: 2 },
      { rate: 1, age: 1, requests: 2 },
      { rate: 0.1, age: 1, requests: 2 },
      { rate: 1, age: 1, requests: 9 },
    ] as const;
    const all = [calm, dear, busy, old, overdue, fresh] as Candidate[];
    expect(planReads(all, night(8))).toEqual([fresh, overdue, old, busy]);
    expect(planReads(all, night(17))).toEqual([fresh, overdue, old, busy, dear]);
    expect(planReads(all, night(19))).toEqual([fresh, overdue, old, busy, dear, calm]);
  });

  test("what is parked gives way where not all that is due fits, and is due like all others where it does", () => {
    const [parked, due, calm]: Candidate[] = [
      { rate: 0, age: 40, requests: 2, isParked: true },
      { rate: 0, age: 31, requests: 2 },
      { rate: 0.1, age: 1, requests: 2 },
    ] as const;
    const all = [parked, due, calm] as Candidate[];
    expect(planReads(all, night(2))).toEqual([due]);
    expect(planReads(all, night(4))).toEqual([due, parked]);
  });

  test("never more than the budget, nobody twice, and everybody when there is enough", () => {
    fc.assert(
      fc.property(fc.array(candidate, { maxLength: 40 }), fc.integer({ min: 0, max: 400 }), (candidates, requests) => {
        const chosen = planReads(candidates, night(requests));
        const cost = (list: readonly Candidate[]): number => list.reduce((sum, one) => sum + one.requests, 0);
        expect(cost(chosen)).toBeLessThanOrEqual(requests);
        expect(new Set(chosen).size).toBe(chosen.length);
        if (cost(candidates) <= requests) expect(chosen).toHaveLength(candidates.length);
        const firstRead = chosen.findIndex(({ age }) => age !== undefined);
        if (firstRead >= 0) expect(chosen.slice(firstRead).every(({ age }) => age !== undefined)).toBe(true);
      }),
    );
  });

  test("reads every account at least once in its greatest age, whatever the rates, where the budget allows it at all", () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: 0, max: 5, noNaN: true }), { minLength: 1, maxLength: 60 }),
        fc.integer({ min: 2, max: 20 }),
        fc.integer({ min: 0, max: 10 }),
        (rates, maxAge, spare) => {
          const readAt: (number | undefined)[] = rates.map(() => undefined);
          const budget = Math.ceil(rates.length / maxAge) + spare;
          const begun = Math.ceil(rates.length / budget);
          for (let now = 0; now < begun + 4 * maxAge; now++) {
            const candidates = rates.map((rate, index) => ({
              index,
              rate,
              isParked: rate < 1,
              requests: 1,
              age: readAt[index] === undefined ? undefined : now - (readAt[index] as number),
            }));
            for (const { age } of candidates) expect(age ?? 0).toBeLessThanOrEqual(maxAge);
            for (const { index } of planReads(candidates, night(budget, maxAge))) readAt[index] = now;
          }
        },
      ),
    );
  });
});
