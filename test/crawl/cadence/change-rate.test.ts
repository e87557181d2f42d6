import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { seededRandom } from "../../../src/base/random.ts";
import { changeRate, priorOf, type Readings, rateToChooseBy } from "../../../src/crawl/cadence/change-rate.ts";

const readings = fc.record({
  exposure: fc.double({ min: 0, max: 1000, noNaN: true }),
  shares: fc.array(fc.double({ min: 0.001, max: 1, noNaN: true }), { maxLength: 20 }),
});
/** Brackets that fit into the exposure. */
const fitting = readings.map(({ exposure, shares }): Readings => {
  const sum = shares.reduce((a, b) => a + b, 0);
  return { exposure, changedGaps: exposure === 0 ? [] : shares.map((share) => (share / Math.max(sum, 1)) * exposure) };
});
const prior = fc.record({ changes: fc.constant(0.25), exposure: fc.double({ min: 0.01, max: 1000, noNaN: true }) });

describe("changeRate", () => {
  test("an account that was never read has the rate of its kind; one that never changed less", () => {
    expect(changeRate({ exposure: 0, changedGaps: [] }, { changes: 0.25, exposure: 25 })).toBeCloseTo(0.01, 9);
    expect(changeRate({ exposure: 100, changedGaps: [] }, { changes: 0.25, exposure: 25 })).toBeLessThan(0.01);
  });

  test("is positive and finite, falls with quiet time and rises with a change", () => {
    fc.assert(
      fc.property(fitting, prior, fc.double({ min: 0.1, max: 100, noNaN: true }), (own, kind, more) => {
        const rate = changeRate(own, kind);
        expect(Number.isFinite(rate) && rate > 0).toBe(true);
        expect(changeRate({ ...own, exposure: own.exposure + more }, kind)).toBeLessThan(rate);
        const changed = { exposure: own.exposure + more, changedGaps: [...own.changedGaps, more] };
        expect(changeRate(changed, kind)).toBeGreaterThan(changeRate({ ...own, exposure: own.exposure + more }, kind));
      }),
    );
  });

  test("finds the rate again, from daily and from rare readings alike", () => {
    for (const rate of [0.02, 0.2, 0.7]) {
      for (const gap of [1, 3]) {
        const random = seededRandom(11);
        const changedGaps: number[] = [];
        const brackets = 20_000;
        for (let at = 0; at < brackets; at++) if (random() < -Math.expm1(-rate * gap)) changedGaps.push(gap);
        const found = changeRate({ exposure: brackets * gap, changedGaps }, { changes: 0.25, exposure: 5 });
        expect(found / rate).toBeGreaterThan(0.9);
        expect(found / rate).toBeLessThan(1.1);
      }
    }
  });
});

describe("rateToChooseBy", () => {
  test("is the estimate, but for accounts that changed whenever they were looked at, which are looked at again soon", () => {
    const kind = { changes: 0.25, exposure: 5 };
    const always = { exposure: 90, changedGaps: [30, 30, 30] };
    expect(rateToChooseBy(always, kind)).toBeGreaterThan(2 * changeRate(always, kind));
    const once = { exposure: 91, changedGaps: [30, 30, 30] };
    expect(rateToChooseBy(once, kind)).toBe(changeRate(once, kind));
    fc.assert(
      fc.property(fitting, prior, (own, some) => {
        expect(rateToChooseBy(own, some)).toBeGreaterThanOrEqual(changeRate(own, some));
      }),
    );
  });
});

describe("priorOf", () => {
  test("is the common rate of the kind, and of a kind that never changed a small one", () => {
    const of = ({ changes, exposure }: { changes: number; exposure: number }): number => changes / exposure;
    expect(
      of(
        priorOf([
          { exposure: 100, changedGaps: [1, 1] },
          { exposure: 300, changedGaps: [1, 1] },
        ]),
      ),
    ).toBeCloseTo(0.01, 9);
    expect(of(priorOf([{ exposure: 100, changedGaps: [] }]))).toBeCloseTo(0.005, 9);
    expect(Number.isFinite(of(priorOf([])))).toBe(true);
  });
});
