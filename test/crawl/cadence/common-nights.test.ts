import { expect, test } from "vitest";
import { seededRandom } from "../../../src/base/random.ts";
import { commonNights, ratioAfter, type SeenStretch } from "../../../src/crawl/cadence/common-nights.ts";

const NIGHTS = 100;
const ACCOUNTS = 300;
const OWN_RATE = 0.02;
const DECAY = Math.LN2 / 2;

/** Readings of accounts at random nights. One in three follows: in each common night it changes four times in five. */
function read(common: readonly number[], seed: number) {
  const random = seededRandom(seed);
  const stretches: SeenStretch[] = [];
  const accountOf: number[] = [];
  for (let account = 0; account < ACCOUNTS; account++) {
    let [from, isChanged] = [0, false];
    for (let night = 1; night < NIGHTS; night++) {
      if (random() < OWN_RATE || (account % 3 === 0 && common.includes(night) && random() < 0.8)) isChanged = true;
      if (random() > 0.2) continue;
      stretches.push({ from, to: night, isChanged, quiet: Math.exp(-OWN_RATE * (night - from)), follows: 0, accounts: 1 });
      accountOf.push(account);
      [from, isChanged] = [night, false];
    }
  }
  return { stretches, accountOf };
}

function learn(common: readonly number[], seed = 1) {
  const { stretches, accountOf } = read(common, seed);
  const nights = commonNights([...Array(NIGHTS).keys()], NIGHTS, DECAY, 1);
  const ratios = new Float64Array(ACCOUNTS).fill(1);
  for (let round = 0; round < 3; round++) {
    nights.learnShare(ratios);
    for (const [place, stretch] of stretches.entries()) stretch.follows = nights.follows(ratios[accountOf[place] as number] as number);
    nights.learn(stretches);
    ratios.fill(1);
    for (const [place, stretch] of stretches.entries()) {
      const account = accountOf[place] as number;
      const { from, to, isChanged, quiet } = stretch;
      ratios[account] = ratioAfter(ratios[account] as number, isChanged, quiet, nights.chanceOfNone(from, to));
    }
  }
  nights.learnShare(ratios);
  return { nights, ratios };
}

test("finds the nights in which many changed at once, and who follows", () => {
  const common = [20, 41, 55, 80, 96];
  const { nights, ratios } = learn(common);
  const hit = (night: number): number => 1 - nights.chanceOfNone(night - 1, night);
  for (const night of common) expect(hit(night) + hit(night + 1), `night ${night}`).toBeGreaterThan(0.6);
  for (let night = 1; night < NIGHTS; night++)
    if (!common.some((one) => Math.abs(one - night) <= 2)) expect(hit(night), `night ${night}`).toBeLessThan(0.15);
  const right = ratios.filter((ratio, account) => nights.follows(ratio) > 0.5 === (account % 3 === 0)).length;
  expect(right).toBeGreaterThan(0.95 * ACCOUNTS);
  const [follower, other] = [Math.max(...ratios), Math.min(...ratios)];
  expect(nights.rate(follower)).toBeCloseTo((0.8 * common.length) / NIGHTS, 1.5);
  // Since night 95 one common night, four and a half days ago: 0.8 · 2^(−4.5 / 2).
  expect(nights.worth(follower, 95)).toBeCloseTo(0.8 * 2 ** (-4.5 / 2), 1);
  expect(nights.worth(other, 95)).toBeLessThan(0.01);
  expect(nights.worth(follower, 98)).toBeLessThan(0.05);
});

test("finds next to nothing where accounts change by themselves", () => {
  for (const seed of [1, 2, 3]) {
    const { nights, ratios } = learn([], seed);
    expect(Math.max(...ratios.map((ratio) => nights.worth(ratio, 0)))).toBeLessThan(0.1);
    expect(Math.max(...ratios.map((ratio) => nights.rate(ratio)))).toBeLessThan(OWN_RATE / 4);
  }
});

test("is of use before anything was seen, and finite where all or none changed in one moment", () => {
  expect(commonNights([], 5, DECAY, 1).worth(1, 0)).toBe(0);
  for (const isChanged of [true, false]) {
    const nights = commonNights([3, 3, 3], 3, DECAY, 1);
    const stretches = Array.from({ length: 50 }, () => ({ from: 3, to: 3, isChanged, quiet: 1, follows: 0.5, accounts: 1e6 }));
    nights.learn(stretches);
    const ratio = ratioAfter(1, isChanged, 1, nights.chanceOfNone(2, 3));
    const values = [nights.worth(ratio, 2), nights.rate(ratio), nights.chanceOfNone(0, 9)];
    expect(values.every((value) => Number.isFinite(value) && value >= 0)).toBe(true);
  }
});
