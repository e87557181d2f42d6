import { HABITS } from "./habits.ts";
import type { Stretches } from "./stretches.ts";

const COUNT = HABITS.length;
/** The belief about one account: for each habit, the likelihood of its readings with the account quiet now, and with it busy now. */
export const BELIEF_SIZE = 2 * COUNT;

/** How many of some accounts have each habit, as shares that add up to 1. */
export type Shares = Float64Array;

/** What is known before anything was seen counts as much as this many accounts. */
const ACCOUNTS_ASSUMED = 5;

/**
 * What accounts do: each has one of `HABITS` and switches as it does, in a hidden Markov model in continuous time that is carried from
 * reading to reading. Accounts stand in one array, `BELIEF_SIZE` numbers each, from `at` on.
 */
export function changeModel(stretches: Stretches) {
  return {
    begin: (beliefs: Float64Array, at: number): void => {
      for (const [habit, { busyAtFirst }] of HABITS.entries()) {
        beliefs[at + 2 * habit] = 1 - busyAtFirst;
        beliefs[at + 2 * habit + 1] = busyAtFirst;
      }
    },
    /** Adds whether the readings of two days differ. `common` is the chance that a cause shared by many changed the account in between. */
    observe: (beliefs: Float64Array, at: number, from: number, to: number, isChanged: boolean, common = 0): void => {
      const { none, some } = stretches.between(from, to);
      const [ofSome, ofNone] = isChanged ? [1, common] : [0, 1];
      let most = 0;
      for (let k = 0; k < BELIEF_SIZE; k += 2) {
        const quiet = beliefs[at + k] as number;
        const busy = beliefs[at + k + 1] as number;
        let [toQuiet, toBusy] = [0, 0];
        if (ofSome > 0) {
          toQuiet = quiet * (some[2 * k] as number) + busy * (some[2 * k + 2] as number);
          toBusy = quiet * (some[2 * k + 1] as number) + busy * (some[2 * k + 3] as number);
        }
        if (ofNone > 0) {
          toQuiet += ofNone * (quiet * (none[2 * k] as number) + busy * (none[2 * k + 2] as number));
          toBusy += ofNone * (quiet * (none[2 * k + 1] as number) + busy * (none[2 * k + 3] as number));
        }
        beliefs[at + k] = toQuiet;
        beliefs[at + k + 1] = toBusy;
        most = Math.max(most, toQuiet + toBusy);
      }
      // Only their ratios count. What no habit explains leaves all as they were before.
      for (let k = at; k < at + BELIEF_SIZE; k++) beliefs[k] = most > 0 ? Math.max((beliefs[k] as number) / most, Number.MIN_VALUE) : 1;
    },
    /** How probable it is that nothing of its own changes an account between two days. */
    chanceOfNone: (beliefs: Float64Array, at: number, shares: Shares, from: number, to: number): number => {
      const { none } = stretches.between(from, to);
      let [sum, still] = [0, 0];
      for (let k = 0; k < BELIEF_SIZE; k += 2) {
        const quiet = (beliefs[at + k] as number) * (shares[k >> 1] as number);
        const busy = (beliefs[at + k + 1] as number) * (shares[k >> 1] as number);
        sum += quiet + busy;
        still += quiet * ((none[2 * k] as number) + (none[2 * k + 1] as number));
        still += busy * ((none[2 * k + 2] as number) + (none[2 * k + 3] as number));
      }
      return Math.min(1, still / sum);
    },
    /**
     * One round of expectation maximization: divides the accounts at `places` among the habits by the current shares, and counts.
     * `assumed` are the prior shares; `weights` says how many accounts each stands for, by default one.
     */
    learn: (beliefs: Float64Array, places: readonly number[], shares: Shares, assumed: Shares, weights?: readonly number[]): Shares => {
      const learnt = new Float64Array(COUNT);
      const chances = new Float64Array(COUNT);
      let accounts = ACCOUNTS_ASSUMED;
      for (const [member, place] of places.entries()) {
        const at = place * BELIEF_SIZE;
        const weight = weights?.[member] ?? 1;
        let sum = 0;
        for (let habit = 0; habit < COUNT; habit++) {
          const chance = ((beliefs[at + 2 * habit] as number) + (beliefs[at + 2 * habit + 1] as number)) * (shares[habit] as number);
          chances[habit] = chance;
          sum += chance;
        }
        accounts += weight;
        for (let habit = 0; habit < COUNT; habit++) learnt[habit] = (learnt[habit] as number) + ((chances[habit] as number) * weight) / sum;
      }
      return learnt.map((count, habit) => (count + ACCOUNTS_ASSUMED * (assumed[habit] as number)) / accounts);
    },
  };
}

/** Habits of which nothing is known yet: each as probable as any other. */
export function evenShares(): Shares {
  return new Float64Array(COUNT).fill(1 / COUNT);
}
