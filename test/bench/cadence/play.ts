import { seededRandom } from "../../../src/base/random.ts";
import { expectedRate, rateToChooseBy, thresholdOf } from "../../../src/crawl/cadence/change-rate.ts";
import { type NightBudget, planReads, roundCost } from "../../../src/crawl/cadence/night-order.ts";
import { addReadings, type Likelihood, noReadings } from "../../../src/crawl/cadence/rate-likelihood.ts";
import { learnPrior, posterior } from "../../../src/crawl/cadence/rate-prior.ts";

/** Ways to choose what a night reads: ours, all in turn, by chance, and those of somebody who knows every rate, with our `MAX_AGE` and without. */
export const choosers = ["cadence", "round robin", "random", "known rates, max age", "known rates"] as const;
/** Beside these one that is no way to choose: the most that can be learned, by somebody who is told of every change, but only after the night. */
export const played = [...choosers, "every change told"] as const;
export type Chooser = (typeof played)[number];

/** Nights by which what is known is told apart: the first ones learn. */
export const PERIODS = [30, 100, 200, 300, 400] as const;

/** What came of it: of the changes that count, the share known within a day, and the share that was followed by a reading within the greatest age. */
export type Outcome = {
  readonly withinDay: number;
  readonly noticed: number;
  readonly changes: number;
  /** For each of `PERIODS`, the share known within a day that the accounts read in it are good for, by their true rates. */
  readonly byPeriod: readonly number[];
};

const REQUESTS = 2;
const MAX_AGE = 30;
/** The shares of the rates are learned anew at every so many nights; on a real list at each. */
const LEARN_EVERY = 5;

type Account = {
  readonly rate: number;
  readonly index: number;
  readonly likelihood: Likelihood;
  readAt: number | undefined;
  changedAt: number[];
};

/** Plays `nights` nights of a world at a budget, a share of what reading all would take. Only nights after `warmUp` count. */
export function play(rates: readonly number[], budget: number, chooser: Chooser, nights: number, warmUp: number, seed: number): Outcome {
  const random = seededRandom(seed);
  const accounts = rates.map((rate, index): Account => ({ rate, index, likelihood: noReadings(), readAt: undefined, changedAt: [] }));
  const requests = Math.floor(rates.length * REQUESTS * budget);
  const choose = chooserOf(chooser, accounts, { requests, maxAge: MAX_AGE, nightly: 1, within: 1 }, seededRandom(seed + 1));
  const total = rates.reduce((sum, rate) => sum + rate, 0);
  const goodFor = PERIODS.map(() => 0);
  let [changes, withinDay] = [0, 0];
  for (let night = 0; night < nights; night++) {
    for (const account of accounts) for (let count = poisson(account.rate, random); count > 0; count--) account.changedAt.push(night);
    const chosen = choose(night);
    const period = PERIODS.findIndex((end) => night < end);
    if (chooser === "every change told")
      for (const { likelihood, changedAt } of accounts) addReadings(likelihood, 1, changedAt.at(-1) === night);
    for (const account of chosen) {
      const counted = account.changedAt.filter((at) => at >= warmUp);
      changes += counted.length;
      withinDay += counted.filter((at) => at === night).length;
      if (period >= 0) goodFor[period] = (goodFor[period] ?? 0) + account.rate / total;
      if (account.readAt !== undefined && chooser === "cadence")
        addReadings(account.likelihood, night - account.readAt, account.changedAt.length > 0);
      account.readAt = night;
      account.changedAt = [];
    }
  }
  // What was not read since is not known: it counts as late.
  const open = accounts.reduce((sum, account) => sum + account.changedAt.filter((at) => at >= warmUp && at < nights - MAX_AGE).length, 0);
  changes += accounts.reduce((sum, account) => sum + account.changedAt.filter((at) => at >= warmUp).length, 0);
  const byPeriod = PERIODS.map((end, index) => (goodFor[index] as number) / (end - (PERIODS[index - 1] ?? 0)));
  return { withinDay: withinDay / changes, noticed: 1 - open / changes, changes, byPeriod };
}

function chooserOf(
  chooser: Chooser,
  accounts: readonly Account[],
  budget: NightBudget,
  random: () => number,
): (night: number) => Account[] {
  const count = Math.floor(budget.requests / REQUESTS);
  const planned = (night: number, rateOf: (account: Account, age: number) => number): Account[] => {
    const candidates = accounts.map((account) => {
      const age = account.readAt === undefined ? undefined : night - account.readAt;
      return { account, age, rate: rateOf(account, age ?? 0), requests: REQUESTS };
    });
    return planReads(candidates, budget).map(({ account }) => account);
  };
  switch (chooser) {
    case "known rates":
      return () => accounts.toSorted((a, b) => b.rate - a.rate).slice(0, count);
    case "random":
      return () => shuffled(accounts, random).slice(0, count);
    case "round robin":
      return () => accounts.toSorted((a, b) => (a.readAt ?? -1) - (b.readAt ?? -1) || a.index - b.index).slice(0, count);
    case "known rates, max age":
      return (night) => planned(night, ({ rate }) => rate);
    default: {
      let prior = learnPrior([]);
      return (night) => {
        if (night % LEARN_EVERY === 0) prior = learnPrior(accounts.map(({ likelihood }) => likelihood));
        const chances = accounts.map(({ likelihood }) => posterior(likelihood, prior));
        const expected = chances.map((each) => ({ expected: expectedRate(each), requests: REQUESTS }));
        if (chooser === "every change told") return planned(night, ({ index }) => expected[index]?.expected as number);
        const threshold = thresholdOf(expected, budget.requests - roundCost(REQUESTS * accounts.length, budget)) * REQUESTS;
        return planned(night, ({ index }, age) => rateToChooseBy(chances[index] as number[], age, threshold));
      };
    }
  }
}

function poisson(mean: number, random: () => number): number {
  let count = 0;
  for (let product = random(); product > Math.exp(-mean); product *= random()) count += 1;
  return count;
}

function shuffled<T>(list: readonly T[], random: () => number): T[] {
  return list
    .map((value) => ({ value, key: random() }))
    .sort((a, b) => a.key - b.key)
    .map(({ value }) => value);
}
