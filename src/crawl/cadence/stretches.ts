import { HABITS, WEEK } from "./habits.ts";

/**
 * What some consecutive days do to an account of each habit. Numbers come in pairs, by the account's state at the beginning: quiet or
 * busy. An account with only one state counts as quiet.
 */
type Stretch = {
  /** Four numbers a habit: the chances to go from quiet to quiet, to busy, from busy to quiet, to busy, without a change on the way. */
  readonly none: Float64Array;
  /** The same with at least one change. */
  readonly some: Float64Array;
  /** The changes a day to expect of the days that follow: of the next one or, where it is the weekday that counts, of the next week. */
  readonly ahead: Float64Array;
  /** What one reading at the end is worth before all costs: Whittle's index. */
  readonly index: Float64Array;
};

/** What is longer ago than this many weeks is worth nothing on any weekday. */
const WEEKS_BACK = 8;

/** The stretch that begins `phase` days into a week and has so many days, where what is found loses its worth at `decay` a day. */
function makeStretch(phase: number, days: number, decay: number): Stretch {
  const pairs = (): Float64Array => new Float64Array(2 * HABITS.length);
  const quads = (): Float64Array => new Float64Array(4 * HABITS.length);
  const stretch = { none: quads(), some: quads(), ahead: pairs(), index: pairs() };
  const past = byWeekday(phase, days, decay);
  const next = byWeekday(phase + days, 1, 0);
  for (const [habit, { quiet, busy, wake, rest, weekday }] of HABITS.entries()) {
    const [pair, quad] = [2 * habit, 4 * habit];
    const set = (state: 0 | 1, none: readonly number[], all: readonly number[], worth: number, rate: number, ahead = rate) => {
      const at = pair + state;
      for (const end of [0, 1]) {
        const still = none[end] as number;
        const changed = Math.max(0, (all[end] as number) - still);
        stretch.none[quad + 2 * state + end] = still;
        stretch.some[quad + 2 * state + end] = changed;
      }
      stretch.ahead[at] = ahead;
      stretch.index[at] = whittleIndex(worth, rate, decay);
    };
    if (wake === 0) {
      const on = (days: number, list: Float64Array): number => quiet * (weekday === undefined ? days : (list[weekday] as number));
      const worth = on(worthAtEnd(days, 0, decay), past.worth);
      set(0, [Math.exp(-on(days, past.days)), 0], [1, 0], worth, on(1, next.days), weekday === undefined ? quiet : quiet / WEEK);
      continue;
    }
    const none = exponential(-wake - quiet, wake, rest, -rest - busy, days);
    const all = exponential(-wake, wake, rest, -rest, days);
    const speed = wake + rest;
    const usual = (rest * quiet + wake * busy) / speed;
    const nextDay = (rate: number): number => usual + (rate - usual) * worthAtEnd(1, speed, 0);
    for (const state of [0, 1] as const) {
      const [toQuiet, toBusy] = all.slice(2 * state, 2 * state + 2) as [number, number];
      const worth = usual * worthAtEnd(days, 0, decay) + ((state === 0 ? quiet : busy) - usual) * worthAtEnd(days, speed, decay);
      const rate = toQuiet * nextDay(quiet) + toBusy * nextDay(busy);
      set(state, none.slice(2 * state, 2 * state + 2), [toQuiet, toBusy], worth, rate);
    }
  }
  return stretch;
}

/**
 * The Whittle index of an account: the price at which reading it tonight is worth as much as a night later. With the worth after
 * t days as `rate`·(1 − e^(−decay·t)) / decay it is worth − t · rate · e^(−decay·t).
 */
export function whittleIndex(worth: number, rate: number, decay: number): number {
  const open = 1 - (decay * worth) / rate;
  return rate <= 0 || open <= 1e-9 ? worth : worth + (rate * open * Math.log(open)) / decay;
}

/** ∫ e^(−speed·s) · e^(−decay·(days − s)) ds over the days: what changes of a rate that falls with `speed` are worth at the end. */
export function worthAtEnd(days: number, speed: number, decay: number): number {
  const apart = decay - speed;
  return Math.abs(apart) < 1e-9 ? days * Math.exp(-decay * days) : (Math.exp(-speed * days) - Math.exp(-decay * days)) / apart;
}

/** How many of the days fall on each weekday, and what a change a day on it would be worth at the end. */
function byWeekday(phase: number, days: number, decay: number): { readonly days: Float64Array; readonly worth: Float64Array } {
  const weeks = Math.max(0, Math.floor(days / WEEK) - WEEKS_BACK);
  const on = { days: new Float64Array(WEEK).fill(weeks), worth: new Float64Array(WEEK) };
  const end = phase + days;
  for (let begin = phase + weeks * WEEK; begin < end; ) {
    const stop = Math.min(end, Math.floor(begin) + 1);
    const weekday = Math.floor(begin) % WEEK;
    on.days[weekday] = (on.days[weekday] as number) + stop - begin;
    on.worth[weekday] = (on.worth[weekday] as number) + worthAtEnd(end - begin, 0, decay) - worthAtEnd(end - stop, 0, decay);
    begin = stop;
  }
  return on;
}

/** e^(M·t) of a matrix with the rows (a, b) and (c, d), row by row. */
function exponential(a: number, b: number, c: number, d: number, t: number): number[] {
  const [middle, half] = [(a + d) / 2, (a - d) / 2];
  const root = Math.sqrt(half * half + b * c);
  const [high, low] = [Math.exp((middle + root) * t), Math.exp((middle - root) * t)];
  const [even, odd] = [(high + low) / 2, root * t < 1e-8 ? t * high : (high - low) / (2 * root)];
  return [even + odd * half, odd * b, odd * c, even - odd * half];
}

/** Stretches that end in one night and begin in any of the nights before are at most as many as these nights; so many are kept. */
const STRETCHES_KEPT = 2000;
/** Moments are told apart by quarters of an hour. */
const STEPS_A_DAY = 96;

export type Stretches = ReturnType<typeof openStretches>;

/** Stretches of days, each made once. What is found loses its worth at `decay` a day. */
export function openStretches(decay: number) {
  const made = new Map<number, Stretch>();
  return {
    between: (from: number, to: number): Stretch => {
      const phase = Math.round((((from % WEEK) + WEEK) % WEEK) * STEPS_A_DAY);
      // Two readings at one moment, as where nothing tells their times, are a step apart.
      const steps = Math.max(1, Math.round((to - from) * STEPS_A_DAY));
      const key = steps * WEEK * STEPS_A_DAY + phase;
      let stretch = made.get(key);
      if (stretch === undefined) {
        stretch = makeStretch(phase / STEPS_A_DAY, steps / STEPS_A_DAY, decay);
        if (made.size >= STRETCHES_KEPT) made.clear();
        made.set(key, stretch);
      }
      return stretch;
    },
  };
}
