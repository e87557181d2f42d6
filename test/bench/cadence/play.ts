import { seededRandom } from "../../../src/base/random.ts";
import { priorOf, rateToChooseBy } from "../../../src/crawl/cadence/change-rate.ts";
import { planReads } from "../../../src/crawl/cadence/night-order.ts";

/** Ways to choose what a night reads: ours, all in turn, by chance, and those of somebody who knows every rate, with our `MAX_AGE` and without. */
export const choosers = ["cadence", "round robin", "random", "known rates, max age", "known rates"] as const;
export type Chooser = (typeof choosers)[number];

/** What came of it: of the changes that count, the share known within a day, and the share that was followed by a reading within the greatest age. */
export type Outcome = { readonly withinDay: number; readonly noticed: number; readonly changes: number };

const REQUESTS = 2;
const MAX_AGE = 30;

type Account = {
  readonly rate: number;
  readonly index: number;
  readAt: number | undefined;
  exposure: number;
  gaps: number[];
  changedAt: number[];
};

/** Plays `nights` nights of a world at a budget, a share of what reading all would take. Only nights after `warmUp` count. */
export function play(rates: readonly number[], budget: number, chooser: Chooser, nights: number, warmUp: number, seed: number): Outcome {
  const random = seededRandom(seed);
  const choice = seededRandom(seed + 1);
  const accounts: Account[] = rates.map((rate, index) => ({ rate, index, readAt: undefined, exposure: 0, gaps: [], changedAt: [] }));
  const requests = Math.floor(rates.length * REQUESTS * budget);
  let [changes, withinDay] = [0, 0];
  for (let night = 0; night < nights; night++) {
    for (const account of accounts) for (let count = poisson(account.rate, random); count > 0; count--) account.changedAt.push(night);
    for (const account of choose(accounts, chooser, requests, night, choice)) {
      const counted = account.changedAt.filter((at) => at >= warmUp);
      changes += counted.length;
      withinDay += counted.filter((at) => at === night).length;
      if (account.readAt !== undefined) {
        account.exposure += night - account.readAt;
        if (account.changedAt.length > 0) account.gaps.push(night - account.readAt);
      }
      account.readAt = night;
      account.changedAt = [];
    }
  }
  // What was not read since is not known: it counts as late.
  const open = accounts.reduce((sum, account) => sum + account.changedAt.filter((at) => at >= warmUp && at < nights - MAX_AGE).length, 0);
  changes += accounts.reduce((sum, account) => sum + account.changedAt.filter((at) => at >= warmUp).length, 0);
  return { withinDay: withinDay / changes, noticed: 1 - open / changes, changes };
}

function choose(accounts: Account[], chooser: Chooser, requests: number, night: number, random: () => number): Account[] {
  const count = Math.floor(requests / REQUESTS);
  if (chooser === "known rates") return accounts.toSorted((a, b) => b.rate - a.rate).slice(0, count);
  if (chooser === "random") return shuffled(accounts, random).slice(0, count);
  if (chooser === "round robin")
    return accounts.toSorted((a, b) => (a.readAt ?? -1) - (b.readAt ?? -1) || a.index - b.index).slice(0, count);
  const prior = priorOf(accounts.map(({ exposure, gaps }) => ({ exposure, changedGaps: gaps })));
  const candidates = accounts.map((account) => ({
    account,
    rate: chooser === "cadence" ? rateToChooseBy({ exposure: account.exposure, changedGaps: account.gaps }, prior) : account.rate,
    age: account.readAt === undefined ? undefined : night - account.readAt,
    requests: REQUESTS,
  }));
  return planReads(candidates, { requests, maxAge: MAX_AGE, nightly: 1, within: 1 }).map(({ account }) => account);
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
