import { dueTonight, nightsLeft, requestsForAge } from "../../../src/crawl/cadence/night-choice.ts";
import type { World } from "./worlds.ts";

/** Somebody who chooses: says what reading each account tonight is worth, and is told what the readings of a night found. */
export type Chooser = {
  score(night: number, listed: number, readAt: Int16Array, into: Float64Array): void;
  saw?(account: number, from: number, to: number, isChanged: boolean): void;
  first?(account: number, night: number): void;
  marginal?(value: number): void;
};

export type Rules = {
  /** The share of the listed accounts that a night can read. */
  readonly budget: number;
  /** Nights after which each account is read, where it is kept at all. */
  readonly maxAge: number | undefined;
  /** Without a greatest age: the share of the budget for those read longest ago. */
  readonly oldestShare: number;
};

/**
 * Shares of the changes: how useful the readings that found them were, and how many were found within a day and a week. Delays and ages in
 * days.
 */
export type Outcome = { useful: number; day: number; week: number; delay: number; changes: number; oldest: number };

/** Days after which finding a change is worth half. */
export const HALF_LIFE = 2;
/** Nights that do not count. */
export const WARM_UP = 60;

/** Lives through the nights of a world. The first reading of an account is outside the budget, for all alike. */
export function play(world: World, rules: Rules, chooser: Chooser): Outcome {
  const { accounts, nights, listedAt, changes, moment } = world;
  const readAt = new Int16Array(accounts).fill(-1);
  const score = new Float64Array(accounts);
  const order = new Int32Array(accounts);
  const ages = new Int32Array(nights + 2);
  const chosen = new Uint8Array(accounts);
  const out: Outcome = { useful: 0, day: 0, week: 0, delay: 0, changes: 0, oldest: 0 };
  let listed = 0;
  for (let night = 0; night < nights; night++) {
    while (listed < accounts && (listedAt[listed] as number) <= night) {
      readAt[listed] = night;
      chooser.first?.(listed, night);
      listed += 1;
    }
    if (night === 0) continue;
    let left = Math.max(1, Math.round(rules.budget * listed));
    const budget = left;
    chosen.fill(0, 0, listed);
    const forced = forcedTonight(rules, budget, listed, night, readAt, ages);
    if (forced > 0) left -= takeOldest(forced, listed, night, readAt, ages, chosen);
    chooser.score(night, listed, readAt, score);
    left -= takeBest(left, listed, score, chosen, order, chooser);
    for (let account = 0; account < listed; account++) {
      if (chosen[account] === 0) {
        const age = night - (readAt[account] as number);
        if (night >= WARM_UP && age > out.oldest) out.oldest = age;
        continue;
      }
      const from = readAt[account] as number;
      let isChanged = false;
      for (let at = from + 1; at <= night; at++) {
        const count = changes[at * accounts + account] as number;
        if (count === 0) continue;
        isChanged = true;
        if (at < WARM_UP) continue;
        const delay = night - at + 1 - (moment[at * accounts + account] as number);
        out.changes += count;
        out.useful += count * 2 ** (-delay / HALF_LIFE);
        out.delay += count * delay;
        if (delay <= 1) out.day += count;
        if (delay <= 7) out.week += count;
      }
      readAt[account] = night;
      if (from < night) chooser.saw?.(account, from, night, isChanged);
    }
  }
  for (let account = 0; account < listed; account++)
    for (let at = Math.max(WARM_UP, (readAt[account] as number) + 1); at < nights; at++) {
      const count = changes[at * accounts + account] as number;
      out.changes += count;
      out.delay += count * (nights - at);
    }
  for (const key of ["useful", "day", "week", "delay"] as const) out[key] /= out.changes;
  return out;
}

/** How many of the oldest are read whatever their worth, as movedex has it. */
function forcedTonight(
  { maxAge, oldestShare }: Rules,
  budget: number,
  listed: number,
  night: number,
  readAt: Int16Array,
  ages: Int32Array,
): number {
  if (maxAge === undefined) return Math.floor(oldestShare * budget);
  ages.fill(0);
  for (let account = 0; account < listed; account++) {
    const left = nightsLeft(night - (readAt[account] as number), { maxAge, nightly: 1 });
    ages[left] = (ages[left] as number) + 1;
  }
  return dueTonight(ages.subarray(0, maxAge + 1), budget, requestsForAge(listed, { maxAge, nightly: 1 }));
}

function takeOldest(count: number, listed: number, night: number, readAt: Int16Array, ages: Int32Array, chosen: Uint8Array): number {
  ages.fill(0);
  for (let account = 0; account < listed; account++) {
    const age = night - (readAt[account] as number);
    ages[age] = (ages[age] as number) + 1;
  }
  let taken = 0;
  let age = night;
  for (; age > 0 && taken + (ages[age] as number) <= count; age--) taken += ages[age] as number;
  let some = count - taken;
  const total = count;
  for (let account = 0; account < listed; account++) {
    const own = night - (readAt[account] as number);
    if (own > age) chosen[account] = 1;
    else if (own === age && some > 0 && own > 0) {
      chosen[account] = 1;
      some -= 1;
    }
  }
  return total - Math.max(0, some);
}

function takeBest(count: number, listed: number, score: Float64Array, chosen: Uint8Array, order: Int32Array, chooser: Chooser): number {
  if (count <= 0) return 0;
  let size = 0;
  for (let account = 0; account < listed; account++) if (chosen[account] === 0) order[size++] = account;
  const slice = order.subarray(0, size).sort((a, b) => (score[b] as number) - (score[a] as number) || a - b);
  const taken = Math.min(count, size);
  for (let place = 0; place < taken; place++) chosen[slice[place] as number] = 1;
  if (taken > 0) chooser.marginal?.(score[slice[taken - 1] as number] as number);
  return taken;
}
