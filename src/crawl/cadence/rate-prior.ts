import { type Likelihood, RATES } from "./rate-likelihood.ts";

/** How many accounts of a kind have each of `RATES`, as shares that add up to 1. */
export type RatePrior = readonly number[];

/** What is known before anything was seen counts as much as this many accounts, spread evenly over the rates. */
const ACCOUNTS_ASSUMED = 1;
/** Rounds of the estimate: after these it moves by less than it errs. */
const ROUNDS = 20;

/**
 * Learns from accounts of one kind how many of them have each rate: the shares under which what was seen of all of them is likeliest. Each round divides
 * every account among the rates by the shares so far, and counts (expectation maximization). Many that never change and a few that often do
 * come out as just that, whatever the shape of the rates.
 */
export function learnPrior(kind: readonly Likelihood[]): RatePrior {
  let prior: RatePrior = RATES.map(() => 1 / RATES.length);
  for (let round = 0; round < ROUNDS; round++) {
    const counts = RATES.map(() => ACCOUNTS_ASSUMED / RATES.length);
    for (const likelihood of kind) {
      for (const [step, share] of posterior(likelihood, prior).entries()) counts[step] = (counts[step] as number) + share;
    }
    prior = counts.map((count) => count / (kind.length + ACCOUNTS_ASSUMED));
  }
  return prior;
}

/** How probable each rate is of one account, by what was seen of it and of its kind. */
export function posterior(likelihood: Likelihood, prior: RatePrior): number[] {
  // Loops: this is done for every target of a list.
  let likeliest = Number.NEGATIVE_INFINITY;
  for (const value of likelihood) if (value > likeliest) likeliest = value;
  const shares: number[] = [];
  let sum = 0;
  for (let step = 0; step < likelihood.length; step++) {
    const share = Math.exp((likelihood[step] as number) - likeliest) * (prior[step] as number);
    shares.push(share);
    sum += share;
  }
  for (let step = 0; step < shares.length; step++) shares[step] = (shares[step] as number) / sum;
  return shares;
}
