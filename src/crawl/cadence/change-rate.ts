/**
 * What was seen of one account: for how long in all two readings bracket it, and of the brackets in which it changed the length of each.
 * A bracket that holds several changes shows one, so that the lengths count. Times are in any one unit; rates are per that unit.
 */
export type Readings = { readonly exposure: number; readonly changedGaps: readonly number[] };

/** What is believed of an account of a kind before it is read: as if it had been watched for `exposure` and changed `changes` times. */
export type Prior = { readonly changes: number; readonly exposure: number };

/** How many changes the prior counts as. Few, since rates differ by orders of magnitude: an account's own readings soon outweigh it. */
const PRIOR_CHANGES = 0.25;
/** Rounds of the estimate. Each brings it nearer to its limit by a factor; after this many it moves by less than it errs. */
const ROUNDS = 12;

/** The prior of a kind: its accounts' common rate, with a weight of its own. A kind that was never seen to change gets half a change. */
export function priorOf(kind: Iterable<Readings>): Prior {
  let changes = 0;
  let exposure = 0;
  for (const readings of kind) {
    changes += readings.changedGaps.length;
    exposure += readings.exposure;
  }
  if (exposure === 0) return { changes: PRIOR_CHANGES, exposure: PRIOR_CHANGES };
  return { changes: PRIOR_CHANGES, exposure: (PRIOR_CHANGES * exposure) / Math.max(changes, 0.5) };
}

/**
 * The rate at which an account changes, shrunk towards that of its kind. Changes are taken to come by chance at a steady rate, so that a bracket of
 * length t that shows one holds rate·t / (1 − e^(−rate·t)) of them on average; the rate that agrees with itself is found by repetition.
 */
export function changeRate({ exposure, changedGaps }: Readings, prior: Prior): number {
  let rate = (changedGaps.length + prior.changes) / (exposure + prior.exposure);
  for (let round = 0; round < ROUNDS && changedGaps.length > 0; round++) {
    const changes = changedGaps.reduce((sum, gap) => sum + expectedChanges(rate * gap), 0);
    rate = (changes + prior.changes) / (exposure + prior.exposure);
  }
  return rate;
}

/** The mean of a Poisson number that is known to be at least one. */
function expectedChanges(mean: number): number {
  return mean < 1e-9 ? 1 : mean / -Math.expm1(-mean);
}

/** With fewer changed brackets than this, that all of them changed may be chance. */
const ALWAYS_CHANGED = 2;

/**
 * The rate to choose by. An account that changed whenever it was looked at may change once in each bracket or a hundred times, and only short
 * brackets can tell: until one shows no change it is taken to change once a unit of time, as far as its prior does not speak against it.
 */
export function rateToChooseBy(readings: Readings, prior: Prior): number {
  const { exposure, changedGaps } = readings;
  const changed = changedGaps.reduce((sum, gap) => sum + gap, 0);
  if (changedGaps.length < ALWAYS_CHANGED || changed < exposure) return changeRate(readings, prior);
  return Math.max(changeRate(readings, prior), (changedGaps.length + prior.changes) / (changedGaps.length + prior.exposure));
}
