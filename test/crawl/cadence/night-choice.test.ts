import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Candidate, OLDEST_SHARE, openChoice, requestsForAge } from "../../../src/crawl/cadence/night-choice.ts";

const candidate = fc.record({
  worth: fc.double({ min: 0, max: 5, noNaN: true }),
  age: fc.option(fc.integer({ min: 1, max: 60 }), { nil: undefined }),
  requests: fc.integer({ min: 1, max: 9 }),
  isParked: fc.boolean(),
});
const night = (requests: number, maxAge = 30) => ({ requests, maxAge, nightly: 1 });
const cost = (list: readonly Candidate[]): number => list.reduce((sum, one) => sum + one.requests, 0);

function chosen<T extends Candidate>(all: readonly T[], budget: ReturnType<typeof night>): T[] {
  const choice = openChoice<T>(budget);
  for (const each of all) choice.offer(each);
  return choice.chosen();
}

describe("a night's choice", () => {
  const [fresh, overdue, busy, calm, dear]: Candidate[] = [
    { worth: 0.5, age: undefined, requests: 2 },
    { worth: 0, age: 30, requests: 2 },
    { worth: 1, age: 1, requests: 2 },
    { worth: 0.1, age: 1, requests: 2 },
    { worth: 1, age: 1, requests: 9 },
  ] as const;
  const all = [calm, dear, busy, overdue, fresh] as Candidate[];

  test("takes what is due, what was never read, then what is worth most per request", () => {
    expect(chosen(all, night(6))).toEqual([overdue, fresh, busy]);
    expect(chosen(all, night(15))).toEqual([overdue, fresh, busy, dear]);
    expect(chosen(all, night(17))).toEqual([overdue, fresh, busy, dear, calm]);
  });

  test("leaves half of the rest to others than those never read, as long as there are others", () => {
    const many = Array.from({ length: 100 }, () => ({ worth: 1, age: undefined, requests: 1 }));
    const read = Array.from({ length: 20 }, (_, n) => ({ worth: n / 100, age: 2, requests: 1 }));
    const both = chosen<Candidate>([...many, ...read], night(12));
    expect(both.filter(({ age }) => age === undefined)).toHaveLength(6);
    expect(both.filter(({ age }) => age !== undefined)).toEqual(read.slice(-6).reverse());
    expect(chosen<Candidate>(many, night(12))).toHaveLength(12);
  });

  test("gives the oldest their share and no more while the greatest age cannot be kept", () => {
    const old = Array.from({ length: 1000 }, (_, n) => ({ worth: 0, age: 50 + n, requests: 1 }));
    const useful = Array.from({ length: 1000 }, () => ({ worth: 1, age: 2, requests: 1 }));
    const budget = night(40, 5);
    expect(requestsForAge(2000, budget)).toBe(400);
    const reads = chosen<Candidate>([...useful, ...old], budget);
    expect(reads.filter(({ worth }) => worth === 0)).toEqual(old.slice(-40 * OLDEST_SHARE).reverse());
    expect(reads).toHaveLength(40);
  });

  test("lets what is parked wait four times as long then", () => {
    const parked = { worth: 0, age: 79, requests: 1, isParked: true };
    const old = Array.from({ length: 100 }, () => ({ worth: 0, age: 20, requests: 1 }));
    const reads = (age: number) => chosen<Candidate>([...old, { ...parked, age }], { requests: 10, maxAge: 1e9, nightly: 1e9 });
    expect(reads(79).some(({ isParked }) => isParked)).toBe(false);
    expect(reads(81)[0]).toMatchObject({ isParked: true });
  });

  test("never more than the budget, nobody twice, and everybody when there is enough", () => {
    fc.assert(
      fc.property(fc.array(candidate, { maxLength: 40 }), fc.integer({ min: 0, max: 400 }), (candidates, requests) => {
        const reads = chosen(candidates, night(requests));
        expect(cost(reads)).toBeLessThanOrEqual(requests);
        expect(new Set(reads).size).toBe(reads.length);
        if (cost(candidates) <= requests) expect(reads).toHaveLength(candidates.length);
      }),
    );
  });

  test("reads every account at least once in its greatest age, whatever it is worth, where the budget allows it at all", () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: 0, max: 5, noNaN: true }), { minLength: 1, maxLength: 60 }),
        fc.integer({ min: 2, max: 20 }),
        fc.integer({ min: 0, max: 10 }),
        fc.boolean(),
        (worths, maxAge, spare, isWorthByAge) => {
          const readAt: (number | undefined)[] = worths.map(() => undefined);
          const budget = Math.ceil(worths.length / maxAge) + spare;
          const begun = Math.ceil(worths.length / budget);
          for (let now = 0; now < begun + 4 * maxAge; now++) {
            const candidates = worths.map((worth, index) => {
              const age = readAt[index] === undefined ? undefined : now - (readAt[index] as number);
              return { index, worth: isWorthByAge ? worth * (age ?? 0) : worth, isParked: worth < 1, requests: 1, age };
            });
            for (const { age } of candidates) expect(age ?? 0).toBeLessThanOrEqual(maxAge);
            for (const { index } of chosen(candidates, night(budget, maxAge))) readAt[index] = now;
          }
        },
      ),
    );
  });
});
