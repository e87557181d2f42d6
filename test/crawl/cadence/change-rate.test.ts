import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { seededRandom } from "../../../src/base/random.ts";
import { expectedRate, rateToChooseBy, thresholdOf } from "../../../src/crawl/cadence/change-rate.ts";
import { addReadings, type Likelihood, noReadings, RATES } from "../../../src/crawl/cadence/rate-likelihood.ts";
import { learnPrior, posterior } from "../../../src/crawl/cadence/rate-prior.ts";

const days = fc.double({ min: 0.01, max: 1000, noNaN: true });
const readings = fc.array(fc.record({ gap: days, isChanged: fc.boolean() }), { maxLength: 20 });
const seen = (pairs: readonly { readonly gap: number; readonly isChanged: boolean }[]): Likelihood => {
  const likelihood = noReadings();
  for (const { gap, isChanged } of pairs) addReadings(likelihood, gap, isChanged);
  return likelihood;
};
const even = learnPrior([]);
const rateOf = (likelihood: Likelihood, prior = even): number => expectedRate(posterior(likelihood, prior));

/** What reading accounts of these rates every `gap` days shows, `pairs` times. */
function watched(rates: readonly number[], gap: number, pairs: number, seed: number): Likelihood[] {
  const random = seededRandom(seed);
  return rates.map((rate) => seen(Array.from({ length: pairs }, () => ({ gap, isChanged: random() < -Math.expm1(-rate * gap) }))));
}

describe("the rate of an account", () => {
  test("lies between the slowest and the fastest, falls with quiet time and rises with a change", () => {
    fc.assert(
      fc.property(readings, days, (pairs, more) => {
        const rate = rateOf(seen(pairs));
        expect(rate).toBeGreaterThanOrEqual(RATES[0] as number);
        expect(rate).toBeLessThanOrEqual((RATES.at(-1) as number) * (1 + 1e-9));
        const quiet = rateOf(seen([...pairs, { gap: more, isChanged: false }]));
        const changed = rateOf(seen([...pairs, { gap: more, isChanged: true }]));
        expect(quiet).toBeLessThanOrEqual(rate * (1 + 1e-9));
        expect(changed).toBeGreaterThanOrEqual(rate * (1 - 1e-9));
      }),
    );
  });

  test("is found again from many readings, daily and rare ones alike: a pair that differs shows that it changed, not how often", () => {
    for (const rate of [0.02, 0.2, 0.7]) {
      for (const gap of [1, 3]) {
        const [likelihood] = watched([rate], gap, 3000, 11);
        // The rates that are told apart are a factor of 2.2 from each other.
        const found = rateOf(likelihood as Likelihood);
        expect(found / rate).toBeGreaterThan(1 / 1.5);
        expect(found / rate).toBeLessThan(1.5);
      }
    }
  });

  test("quiet days count the same whether they are added together or one by one, and readings without a time say next to nothing", () => {
    fc.assert(
      fc.property(fc.array(days, { maxLength: 20 }), (gaps) => {
        const apart = rateOf(seen(gaps.map((gap) => ({ gap, isChanged: false }))));
        const sum = gaps.reduce((a, b) => a + b, 0);
        expect(rateOf(seen([{ gap: sum, isChanged: false }]))).toBeCloseTo(apart, 6);
      }),
    );
    expect(
      Number.isFinite(
        rateOf(
          seen([
            { gap: 0, isChanged: true },
            { gap: 0, isChanged: false },
          ]),
        ),
      ),
    ).toBe(true);
  });
});

describe("learnPrior", () => {
  test("few that often change among many that never do come out as that, and judge an account of which little was seen", () => {
    const rates = Array.from({ length: 1000 }, (_, index) => (index < 50 ? 0.5 : 0.001));
    const prior = learnPrior(watched(rates, 7, 10, 3));
    const fast = prior.reduce((sum, share, step) => sum + ((RATES[step] as number) > 0.1 ? share : 0), 0);
    expect(fast).toBeGreaterThan(0.03);
    expect(fast).toBeLessThan(0.07);
    expect(prior.reduce((a, b) => a + b, 0)).toBeCloseTo(1, 9);
    // One change in a week: of such a list it is likely one of the fast ones; of one of which nothing was seen, that it is likely slow.
    const once = seen([{ gap: 7, isChanged: true }]);
    const ofTheList = rateOf(once, prior);
    expect(ofTheList).toBeGreaterThan(0.3);
    // How fast the fast ones are weekly readings do not tell; that they are few they do.
    expect(rateOf(noReadings(), prior)).toBeLessThan(ofTheList / 5);
  });

  test("of a kind of which nothing was seen every rate is as likely", () => {
    expect(new Set(learnPrior([]).map((share) => Math.round(share * 1e6))).size).toBe(1);
  });
});

describe("rateToChooseBy", () => {
  test("is the expected rate, and more where one more reading may tell whether an account is worth its place", () => {
    fc.assert(
      fc.property(readings, days, fc.double({ min: 0, max: 5, noNaN: true }), (pairs, age, threshold) => {
        const chances = posterior(seen(pairs), even);
        expect(rateToChooseBy(chances, age, threshold)).toBeGreaterThanOrEqual(expectedRate(chances));
        expect(rateToChooseBy(chances, age, Number.POSITIVE_INFINITY)).toBe(expectedRate(chances));
      }),
    );
    const often = posterior(seen(Array.from({ length: 5 }, () => ({ gap: 0.01, isChanged: true }))), even);
    expect(rateToChooseBy(often, 1000, Number.POSITIVE_INFINITY)).toBe(expectedRate(often));
    const doubtful = posterior(seen([{ gap: 30, isChanged: true }]), even);
    const known = posterior(watched([0.05], 1, 2000, 5)[0] as Likelihood, even);
    expect(rateToChooseBy(doubtful, 1, 1) / expectedRate(doubtful)).toBeGreaterThan(1.05);
    expect(rateToChooseBy(known, 1, 1) / expectedRate(known)).toBeLessThan(1.001);
  });
});

test("the threshold is the worth of the last account that fits", () => {
  const accounts = [0.1, 0.9, 0.5].map((expected) => ({ expected, requests: 2 }));
  expect(thresholdOf(accounts, 2)).toBe(0.45);
  expect(thresholdOf(accounts, 4)).toBe(0.25);
  expect(thresholdOf(accounts, 100)).toBe(0);
  expect(thresholdOf([], 10)).toBe(0);
});
