import { RATES } from "./rate-likelihood.ts";

/** How many nights are reckoned with what one more reading tells: few, since later readings tell the same. */
const NIGHTS_AHEAD = 3;

/** The changes a day to expect of an account whose rates have these chances. */
export function expectedRate(chances: readonly number[]): number {
  return sumOver(chances, (rate) => rate);
}

/**
 * The rate to choose by: what a reading brings in itself, and what it tells. An account is worth a night's reading for its own sake above some rate,
 * `threshold`. A reading after `age` days finds a change or not; where either would move the account across the threshold, the nights that follow
 * choose better by it. So accounts that may be fast are looked at again soon, and of those that are known well enough nothing more is asked.
 */
export function rateToChooseBy(chances: readonly number[], age: number, threshold: number): number {
  const rate = expectedRate(chances);
  // Nothing is worth a place then; and endless worth times no chance is no number.
  if (threshold === Number.POSITIVE_INFINITY) return rate;
  const chanceOfChange = sumOver(chances, (rate) => -Math.expm1(-rate * age));
  const rateIfChanged = sumOver(chances, (each) => -Math.expm1(-each * age) * each);
  const better =
    Math.max(0, rateIfChanged - threshold * chanceOfChange) +
    Math.max(0, rate - rateIfChanged - threshold * (1 - chanceOfChange)) -
    Math.max(0, rate - threshold);
  return rate + NIGHTS_AHEAD * Math.max(0, better);
}

/** The rate per request of the last account that a night reads for its own sake, where so many requests are left for that. */
export function thresholdOf(accounts: readonly { readonly expected: number; readonly requests: number }[], requests: number): number {
  let left = requests;
  const byWorth = accounts.map((account) => ({ ...account, worth: account.expected / account.requests })).sort((a, b) => b.worth - a.worth);
  for (const { worth, requests: cost } of byWorth) {
    left -= cost;
    if (left <= 0) return worth;
  }
  return 0;
}

function sumOver(chances: readonly number[], value: (rate: number) => number): number {
  return chances.reduce((sum, chance, step) => sum + chance * value(RATES[step] as number), 0);
}
