import { countBefore } from "../../base/sorted.ts";
import { worthAtEnd } from "./stretches.ts";

/** Two readings of one account: whether they differ, and how probable it was that nothing of its own changed it in between. */
export type Reading = { readonly from: number; readonly to: number; readonly isChanged: boolean; readonly quiet: number };

/** The same of `accounts` that are alike. */
export type SeenStretch = Reading & {
  /** How probable it is that the account follows. */
  follows: number;
  readonly accounts: number;
};

/** So many readings in which nothing was seen yet are taken to say that half of all accounts follow. */
const ACCOUNTS_ASSUMED = 5;
const FOLLOWS_ASSUMED = 0.5;
/** Rounds of expectation maximization, the chance of each night before them, and the most it can be. */
const ROUNDS = 12;
const HIT_ASSUMED = 0.2;
const MOST_HIT = 0.95;
/** So many changes of a night are taken for each account's own, however unlikely. */
const OWN_CHANGES = 2;
const NIGHTS_KEPT = 400;
/** What a history says for or against following is never more than this to one. */
const MOST_RATIO = 1e6;

export type CommonNights = ReturnType<typeof commonNights>;

/**
 * Nights in which one cause changed many accounts, such as an upgrade of their framework: the common shock of Marshall and Olkin (1967). An
 * account follows such causes or not; each night has a chance to change an account that follows. Times in days. `readings` are the times of
 * readings so far, ascending. A change loses value by `decay` a day. Nights are `nightly` days apart.
 */
export function commonNights(readings: readonly number[], now: number, decay: number, nightly: number) {
  const ends = readings.slice(-NIGHTS_KEPT);
  const nights = ends.length;
  const hit = new Float64Array(nights);
  /** −ln(1 − hit), summed up over the nights before each. */
  const hazard = new Float64Array(nights + 1);
  /** What changes of each night and of all after it are worth now, and one of the time since the last. */
  const worth = new Float64Array(nights + 1);
  /** What waiting for a night costs of what a reading is worth. */
  const waiting = 1 - Math.exp(-decay * nightly);
  let share = FOLLOWS_ASSUMED;
  /** The changes a day of one that follows. */
  let rate = 0;

  function follows(ratio: number): number {
    return (share * ratio) / (share * ratio + 1 - share);
  }

  /** The chance that nothing common changed one that follows between two days. */
  function chanceOfNone(from: number, to: number): number {
    return Math.exp((hazard[nightAfter(from)] as number) - (hazard[nightAfter(to)] as number));
  }

  /** The first night whose readings came after a day. */
  function nightAfter(day: number): number {
    return countBefore(ends, (end) => end <= day);
  }

  function sumUp(): void {
    for (const [night, chance] of hit.entries()) hazard[night + 1] = (hazard[night] as number) - Math.log(1 - chance);
  }

  function judge(): void {
    const last = ends.at(-1);
    if (last === undefined) return;
    const days = last - (ends[0] as number);
    rate = days > 0 ? hit.reduce((sum, chance) => sum + chance, 0) / days : 0;
    // Others tell tomorrow whether anything common happened since: to read at once gains only what a night's delay costs.
    worth[nights] = rate * worthAtEnd(Math.max(0, now - last), 0, decay) * waiting;
    for (let night = nights - 1; night >= 0; night--) {
      const end = ends[night] as number;
      const middle = (end + (ends[night - 1] ?? end)) / 2;
      worth[night] = (worth[night + 1] as number) + (hit[night] as number) * Math.exp(-decay * Math.max(0, now - middle));
    }
  }

  return {
    follows,
    chanceOfNone,
    /** The changes a day that common causes make of an account whose history is so many times as probable if it follows. */
    rate: (ratio: number): number => follows(ratio) * rate,
    /** What reading that account now may find of common causes, where it was last read on a day. */
    worth: (ratio: number, from: number): number => follows(ratio) * (worth[nightAfter(from)] as number),
    /** Learns how many accounts follow. `accounts` says how many have each ratio; none for one each. */
    learnShare: (ratios: ArrayLike<number>, accounts?: ArrayLike<number>): void => {
      for (let round = 0; round < ROUNDS; round++) {
        let [sum, all] = [ACCOUNTS_ASSUMED * FOLLOWS_ASSUMED, ACCOUNTS_ASSUMED];
        for (let place = 0; place < ratios.length; place++) {
          const count = accounts?.[place] ?? 1;
          sum += count * follows(ratios[place] as number);
          all += count;
        }
        share = sum / all;
      }
    },
    learn: (stretches: readonly SeenStretch[]): void => {
      const ranges = stretches.map(({ from, to }) => [nightAfter(from), nightAfter(to)] as const);
      const exposed = new Float64Array(nights + 1);
      for (const [place, { follows, accounts }] of stretches.entries()) {
        const [first, end] = ranges[place] as readonly [number, number];
        exposed[first] = (exposed[first] as number) + follows * accounts;
        exposed[end] = (exposed[end] as number) - follows * accounts;
      }
      for (let night = 1; night < nights; night++) exposed[night] = (exposed[night] as number) + (exposed[night - 1] as number);
      hit.fill(HIT_ASSUMED);
      for (let round = 0; round < ROUNDS; round++) {
        sumUp();
        const hits = new Float64Array(nights);
        for (const [place, { from, to, isChanged, quiet, follows, accounts }] of stretches.entries()) {
          if (!isChanged) continue;
          const [first, end] = ranges[place] as readonly [number, number];
          const each = (follows * accounts) / Math.max(1 - quiet * (1 - follows + follows * chanceOfNone(from, to)), 1 / MOST_RATIO);
          for (let night = first; night < end; night++) hits[night] = (hits[night] as number) + each * (hit[night] as number);
        }
        for (let night = 0; night < nights; night++)
          hit[night] = Math.min(MOST_HIT, Math.max(0, (hits[night] as number) - OWN_CHANGES) / Math.max(1, exposed[night] as number));
      }
      sumUp();
      judge();
    },
  };
}

/**
 * The likelihood ratio of a history, if the account follows common causes, after one more interval. `quiet` is the chance that nothing
 * of its own changed it, `uncommon` that no common cause did.
 */
export function ratioAfter(ratio: number, isChanged: boolean, quiet: number, uncommon: number): number {
  const factor = isChanged ? (1 - quiet * uncommon) / Math.max(1 - quiet, 1 / MOST_RATIO) : uncommon;
  return Math.min(MOST_RATIO, Math.max(1 / MOST_RATIO, ratio * factor));
}
