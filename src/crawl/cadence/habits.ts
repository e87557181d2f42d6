/**
 * How an account may change: a Poisson process that switches between a quiet and a busy rate (a Markov-modulated Poisson process), or one
 * that runs on one weekday only. Rates are changes a day; `wake` and `rest` are switches a day.
 */
export type Habit = {
  readonly quiet: number;
  readonly busy: number;
  readonly wake: number;
  readonly rest: number;
  readonly busyAtFirst: number;
  /** The day of the week (0 is Thursday, the first day of 1970) outside which nothing changes. */
  readonly weekday?: number;
};

export const WEEK = 7;

const steady = (rate: number): Habit => ({ quiet: rate, busy: rate, wake: 0, rest: 0, busyAtFirst: 0 });
/** The rate of an account that is silent for now: once in a year and a half. */
const SILENT = 0.002;
/** A busy spell that lasts this many days or longer does not end in the time that a night looks back on. */
const ENDLESS = 2000;

// From once in 27 years to eight times a day; each is about twice the one before.
const steadyHabits = Array.from({ length: 16 }, (_, step) => steady(1e-4 * (8 / 1e-4) ** (step / 15)));
const switchedHabits = [0.3, 0.8, 2].flatMap((busy) =>
  [30, 90, 300].flatMap((silence) =>
    [4, 15, ENDLESS].map((spell) => {
      const busyAtFirst = spell === ENDLESS ? 0 : spell / (spell + silence);
      return { quiet: SILENT, busy, wake: 1 / silence, rest: 1 / spell, busyAtFirst };
    }),
  ),
);
// New projects: busy when first seen, and then silent.
const newHabits = [0.3, 0.8, 2].flatMap((busy) =>
  [5, 20, 60].map((spell) => ({ quiet: SILENT, busy, wake: 1e-5, rest: 1 / spell, busyAtFirst: 1 })),
);
const weeklyHabits = Array.from({ length: WEEK }, (_, weekday) => [0.4, 1, 2.5].map((busy) => ({ ...steady(busy), weekday }))).flat();

/** The habits that accounts are told apart by; those of one weekday last. */
export const HABITS: readonly Habit[] = [...steadyHabits, ...switchedHabits, ...newHabits, ...weeklyHabits];
export const WEEKLY_FROM = HABITS.length - weeklyHabits.length;
