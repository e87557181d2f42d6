/** The slowest and the fastest rate that accounts are told apart by, in changes a day: once in 27 years, and ten times a day. */
const SLOWEST = 1e-4;
const FASTEST = 10;
const STEPS = 16;

/** The rates that an account may have, in changes a day; each is about twice the one before. */
export const RATES: readonly number[] = Array.from({ length: STEPS }, (_, step) => SLOWEST * (FASTEST / SLOWEST) ** (step / (STEPS - 1)));

/** How well each of `RATES` explains what was seen of an account, as a logarithm; only differences count. */
export type Likelihood = number[];

/** Two readings at one moment, as where nothing tells their times, are taken to be this far apart, in days. */
const SHORTEST_GAP = 1e-3;

/** What is said of an account of which nothing was seen: every rate explains it equally. */
export function noReadings(): Likelihood {
  return new Array<number>(STEPS).fill(0);
}

/**
 * Adds that two readings of an account this many days apart differ, or not. Changes are taken to come by chance at a steady rate: of `gap` days without
 * one the chance is e^(−rate·gap). A pair that differs says that there was at least one change between them and not how many. Pairs that do not differ
 * may be added together, as the sum of their days.
 */
export function addReadings(likelihood: Likelihood, gap: number, isChanged: boolean): void {
  const days = Math.max(gap, SHORTEST_GAP);
  for (const [step, rate] of RATES.entries())
    likelihood[step] = (likelihood[step] as number) + (isChanged ? Math.log(-Math.expm1(-rate * days)) : -rate * gap);
}
