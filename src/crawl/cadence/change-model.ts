import { HABITS, type Habit, WEEK, WEEKLY_FROM } from "./habits.ts";
import { lasting, makeStretch, type Stretch } from "./stretch.ts";

const COUNT = HABITS.length;
/** The numbers that say what is believed of one account: of each habit how probable what was seen is together with being quiet now, and with being busy. */
export const BELIEF_SIZE = 2 * COUNT;

/** How many of some accounts have each habit, as shares that add up to 1. */
export type Shares = Float64Array;

/** What is known before anything was seen counts as much as this many accounts. */
const ACCOUNTS_ASSUMED = 5;
/** An account whose habit does not change is followed for this many days, as far as what a reading tells is reckoned. */
const FOLLOWED_DAYS = 30;
/** And on its weekday for this many, which seldom changes. */
const FOLLOWED_WEEKDAY_DAYS = 60;
/** Days between readings, of which the best is looked for. */
const PERIODS = [1, 2, 3, 4, 6, 8, 12, 16, 24];
/** Stretches that end in one night and begin in any of the nights before are at most as many as these nights; so many are kept. */
const STRETCHES_KEPT = 2000;
/** Moments are told apart by quarters of an hour. */
const STEPS_A_DAY = 96;

/** What to expect of an account that was not read for a while. Rates in changes a day. */
export type Outlook = {
  /** What reading it is worth: its index, and what the reading tells. */
  worth: number;
  /** The changes a day to expect of it. */
  rate: number;
};

/**
 * What accounts do and are going to do: each has one of `HABITS`, and switches as that habit does. What is believed of one is taken forward from reading to
 * reading (the forward algorithm of a hidden Markov model in continuous time): a reading that shows what the one before showed says that nothing changed in
 * between, any other that something did, however often. Accounts stand in one array, `BELIEF_SIZE` numbers each, and `at` is where the numbers of one begin.
 */
export class ChangeModel {
  readonly #decay: number;
  readonly #ofPeriod: readonly number[];
  readonly #stretches = new Map<number, Stretch>();
  readonly #outlook: Outlook = { worth: 0, rate: 0 };
  #price = Number.NaN;
  /** What following an account brings that has a habit and is quiet or busy, and of one weekday's habits what reading on that day alone brings. */
  readonly #value = new Float64Array(BELIEF_SIZE);
  readonly #onDay = new Float64Array(COUNT);
  readonly #stillOn = new Float64Array(WEEK);
  readonly #movedOn = new Float64Array(WEEK);

  /** A change that is found after `halfLife` days is worth half as much as one that is found at once. */
  constructor(halfLife: number) {
    this.#decay = Math.LN2 / halfLife;
    this.#ofPeriod = PERIODS.map((days) => lasting(days, 0, this.#decay));
  }

  /** What is believed at an account's first reading. */
  begin(beliefs: Float64Array, at: number): void {
    for (const [habit, { busyAtFirst }] of HABITS.entries()) {
      beliefs[at + 2 * habit] = 1 - busyAtFirst;
      beliefs[at + 2 * habit + 1] = busyAtFirst;
    }
  }

  /** Takes in that the readings of two days differ, or not. */
  observe(beliefs: Float64Array, at: number, from: number, to: number, isChanged: boolean): void {
    const stretch = this.#stretch(from, to);
    const chances = isChanged ? stretch.some : stretch.none;
    let most = 0;
    for (let k = 0; k < BELIEF_SIZE; k += 2) {
      const quiet = beliefs[at + k] as number;
      const busy = beliefs[at + k + 1] as number;
      const toQuiet = quiet * (chances[2 * k] as number) + busy * (chances[2 * k + 2] as number);
      const toBusy = quiet * (chances[2 * k + 1] as number) + busy * (chances[2 * k + 3] as number);
      beliefs[at + k] = toQuiet;
      beliefs[at + k + 1] = toBusy;
      most = Math.max(most, toQuiet + toBusy);
    }
    // Only their ratios count. What no habit explains leaves all as they were before.
    for (let k = at; k < at + BELIEF_SIZE; k++) beliefs[k] = most > 0 ? Math.max((beliefs[k] as number) / most, Number.MIN_VALUE) : 1;
  }

  /**
   * What to expect on day `to` of an account whose newest reading is of day `from`, where reading it has to bring at least `price`. Its worth is the index,
   * and what the answer tells: how much more following the account brings by knowing it. The object is the same one each time.
   */
  outlook(beliefs: Float64Array, at: number, shares: Shares, from: number, to: number, price: number): Outlook {
    const { none, some, ahead, index } = this.#stretch(from, to);
    this.#valueAt(price);
    const value = this.#value;
    const [stillOn, movedOn] = [this.#stillOn.fill(0), this.#movedOn.fill(0)];
    let [sum, worth, rate, still, stillValue, movedValue] = [0, 0, 0, 0, 0, 0];
    for (let k = 0; k < BELIEF_SIZE; k += 2) {
      const habit = k >> 1;
      const quiet = (beliefs[at + k] as number) * (shares[habit] as number);
      const busy = (beliefs[at + k + 1] as number) * (shares[habit] as number);
      const q = 2 * k;
      const stillQuiet = quiet * (none[q] as number) + busy * (none[q + 2] as number);
      const stillBusy = quiet * (none[q + 1] as number) + busy * (none[q + 3] as number);
      const movedQuiet = quiet * (some[q] as number) + busy * (some[q + 2] as number);
      const movedBusy = quiet * (some[q + 1] as number) + busy * (some[q + 3] as number);
      sum += quiet + busy;
      worth += quiet * (index[k] as number) + busy * (index[k + 1] as number);
      rate += quiet * (ahead[k] as number) + busy * (ahead[k + 1] as number);
      still += stillQuiet + stillBusy;
      stillValue += stillQuiet * (value[k] as number) + stillBusy * (value[k + 1] as number);
      movedValue += movedQuiet * (value[k] as number) + movedBusy * (value[k + 1] as number);
      if (habit < WEEKLY_FROM) continue;
      const weekday = (HABITS[habit] as Habit).weekday as number;
      stillOn[weekday] = (stillOn[weekday] as number) + stillQuiet * (this.#onDay[habit] as number);
      movedOn[weekday] = (movedOn[weekday] as number) + movedQuiet * (this.#onDay[habit] as number);
    }
    // Whoever follows an account does it in equal steps, on one weekday, or not at all.
    let [ifStill, ifMoved, either] = [Math.max(0, stillValue), Math.max(0, movedValue), Math.max(0, stillValue + movedValue)];
    for (let day = 0; day < WEEK; day++) {
      const [s, m] = [(stillOn[day] as number) - still * price, (movedOn[day] as number) - (sum - still) * price];
      ifStill = Math.max(ifStill, s);
      ifMoved = Math.max(ifMoved, m);
      either = Math.max(either, s + m);
    }
    this.#outlook.worth = (worth + Math.max(0, ifStill + ifMoved - either)) / sum;
    this.#outlook.rate = rate / sum;
    return this.#outlook;
  }

  /**
   * One round of expectation maximization: divides each of `count` accounts among the habits by the shares so far, and counts. `assumed` are the shares
   * before anything was seen; `weights` says how many accounts each stands for.
   */
  learn(
    beliefs: Float64Array,
    members: ArrayLike<number>,
    count: number,
    shares: Shares,
    assumed: Shares,
    weights?: ArrayLike<number>,
  ): Shares {
    const learnt = new Float64Array(COUNT);
    const chances = new Float64Array(COUNT);
    let accounts = ACCOUNTS_ASSUMED;
    for (let member = 0; member < count; member++) {
      const at = (members[member] as number) * BELIEF_SIZE;
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
    for (let habit = 0; habit < COUNT; habit++)
      learnt[habit] = ((learnt[habit] as number) + ACCOUNTS_ASSUMED * (assumed[habit] as number)) / accounts;
    return learnt;
  }

  /** What following accounts brings, less what its readings cost, for as long as they stay as they are. A reading that finds out that it brings nothing is lost. */
  #valueAt(price: number): void {
    if (price === this.#price) return;
    this.#price = price;
    const [value, onDay] = [this.#value, this.#onDay];
    const net = (rate: number, days: number): number => {
      let best = 0;
      for (const [step, period] of PERIODS.entries())
        best = Math.max(best, ((rate * (this.#ofPeriod[step] as number) - price) * days) / period);
      return best > 0 ? best : -price;
    };
    for (const [habit, { quiet, busy, rest, weekday }] of HABITS.entries()) {
      value[2 * habit] = net(weekday === undefined ? quiet : quiet / WEEK, FOLLOWED_DAYS);
      value[2 * habit + 1] = net(busy, 1 / (rest + 1 / FOLLOWED_DAYS));
      onDay[habit] = price + Math.max(0, ((busy * (this.#ofPeriod[0] as number) - price) * FOLLOWED_WEEKDAY_DAYS) / WEEK);
    }
  }

  #stretch(from: number, to: number): Stretch {
    const phase = Math.round((((from % WEEK) + WEEK) % WEEK) * STEPS_A_DAY);
    // Two readings at one moment, as where nothing tells their times, are a step apart.
    const steps = Math.max(1, Math.round((to - from) * STEPS_A_DAY));
    const key = steps * WEEK * STEPS_A_DAY + phase;
    let stretch = this.#stretches.get(key);
    if (stretch === undefined) {
      stretch = makeStretch(phase / STEPS_A_DAY, steps / STEPS_A_DAY, this.#decay);
      if (this.#stretches.size >= STRETCHES_KEPT) this.#stretches.clear();
      this.#stretches.set(key, stretch);
    }
    return stretch;
  }
}

/** Habits of which nothing is known yet: each as probable as any other. */
export function evenShares(): Shares {
  return new Float64Array(COUNT).fill(1 / COUNT);
}
