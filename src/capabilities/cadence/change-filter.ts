/**
 * What is known of an account from its readings. Times in days since 1970, as in all of this folder; rates in changes a day.
 */
export type Readings = {
  readonly first: number;
  readonly newest: number;
  /** Two readings each that differ, oldest first. */
  readonly changes: readonly (readonly [after: number, by: number])[];
  /** Whether it was listed after the first night. */
  readonly isNewcomer: boolean;
};

export type Sample = { readonly readings: Readings; readonly accounts: number };

/** A rate at which an account changes: every day, or on one day of the week, from 0 (Thursday, the first day of 1970) to 6. */
export type State = { readonly rate: number; readonly weekday?: number };

const everyDay = Array.from({ length: 8 }, (_, step): State => ({ rate: 0.001 * 4000 ** (step / 7) }));
const onWeekdays = Array.from({ length: 7 }, (_, weekday): State => ({ rate: 1, weekday }));
/** An account has one of these habits: it stays in a state, and draws another one of the habit so many times a day on average. */
const habits: readonly { readonly draws: number; readonly states: readonly State[] }[] = [
  { draws: 1 / 200, states: everyDay },
  { draws: 1 / 10, states: everyDay },
  { draws: 1 / 200, states: onWeekdays },
];
const STATES: readonly State[] = habits.flatMap(({ states }) => states);
/** The habits, each with the places of its states: from one to before another. */
const HABITS = habits.map(({ draws, states }, place) => {
  const from = habits.slice(0, place).reduce((sum, before) => sum + before.states.length, 0);
  return { draws, from, to: from + states.length };
});

export type Belief = Float64Array<ArrayBuffer>;
/** How many accounts are in each state, and in which states newcomers are first seen. */
export type Population = { readonly usual: Belief; readonly newcomers: Belief };

/** Rounds of learning: after these the shares of the states hardly move. */
const ROUNDS = 30;
/** What is assumed before anything was seen counts as much as this many accounts. */
const ACCOUNTS_ASSUMED = 5;
/** What no state explains is no reason to believe in none. */
const LEAST_CHANCE = 1e-12;
/** Two readings at one moment, as where nothing tells their times, are a quarter of an hour apart. */
const LEAST_DAYS = 1 / 96;
const even: Belief = new Float64Array(STATES.length).fill(1 / STATES.length);
/** For each weekday, the chance of each state that nothing changes on it. */
const quietDays = onWeekdays.map((_, day) => Float64Array.from(STATES, (state) => (isOn(state, day) ? Math.exp(-state.rate) : 1)));

export function learnPopulation(samples: readonly Sample[]): Population {
  let population: Population = { usual: even, newcomers: even };
  for (let round = 0; round < ROUNDS; round++) {
    const usual = even.map((chance) => ACCOUNTS_ASSUMED * chance);
    const newcomers = population.usual.map((chance) => ACCOUNTS_ASSUMED * chance);
    for (const { readings, accounts } of samples) {
      const addTo = (counts: Belief) => (belief: Belief) => {
        for (const [state, chance] of belief.entries()) counts[state] = (counts[state] as number) + accounts * chance;
      };
      addTo(usual)(believe(readings, population, readings.isNewcomer ? addTo(newcomers) : undefined));
    }
    population = { usual: normalized(usual), newcomers: normalized(newcomers) };
  }
  return population;
}

/** What to believe of an account after its readings. `onSecond` is called with what to believe after the first two. */
export function believe(readings: Readings, { usual, newcomers }: Population, onSecond?: (belief: Belief) => void): Belief {
  let belief = readings.isNewcomer ? newcomers : usual;
  let day = readings.first;
  let report = onSecond;
  const observe = (to: number, isChanged: boolean): void => {
    const quiet = after(belief, usual, day, to, true);
    const all = isChanged ? after(belief, usual, day, to, false) : quiet;
    belief = normalized(isChanged ? all.map((chance, state) => Math.max(LEAST_CHANCE, chance - (quiet[state] as number))) : quiet);
    day = Math.max(day, to);
    report?.(belief);
    report = undefined;
  };
  for (const [after, by] of readings.changes) {
    if (after > day) observe(after, false);
    // Code and key may both have changed between the same readings.
    if (by >= day) observe(by, true);
  }
  if (readings.newest > day) observe(readings.newest, false);
  return belief;
}

/** The states after some days, about whole ones if more than one, day by day: with `isQuiet` times the chance that nothing changed. */
function after(belief: Belief, usual: Belief, from: number, to: number, isQuiet: boolean): Belief {
  const next = Float64Array.from(belief);
  const days = to - from < 1 ? Math.max(LEAST_DAYS, to - from) : Math.round(to - from);
  const step = isQuiet ? Math.min(1, days) : days;
  for (const habit of HABITS) {
    const stays = Math.exp(-habit.draws * step);
    let shares = 0;
    for (let state = habit.from; state < habit.to; state++) shares += usual[state] as number;
    for (let done = 0; done < days; done += step) {
      const quiet = quietDays[weekdayOf(from + done + step / 2)] as Float64Array;
      let sum = 0;
      for (let state = habit.from; state < habit.to; state++) {
        if (isQuiet) next[state] = (next[state] as number) * (step === 1 ? (quiet[state] as number) : (quiet[state] as number) ** step);
        sum += next[state] as number;
      }
      const drawn = ((1 - stays) * sum) / shares;
      for (let state = habit.from; state < habit.to; state++)
        next[state] = stays * (next[state] as number) + drawn * (usual[state] as number);
    }
  }
  return next;
}

function isOn({ weekday }: State, day: number): boolean {
  return weekday === undefined || weekday === day;
}

function weekdayOf(day: number): number {
  return ((Math.floor(day) % 7) + 7) % 7;
}

function normalized(counts: Belief): Belief {
  const sum = counts.reduce((total, count) => total + count, 0);
  return sum > 0 ? counts.map((count) => count / sum) : even;
}

/** What to expect of an account that was not read for a while: what reading it is worth, and its changes a day. */
export type Expected = { readonly worth: number; readonly rate: number };

/** Days back from now on which changes of a weekday count. */
const WEEKDAYS_BACK = 28;

/**
 * The worth of reading an account on day `to` that was last read on day `from`: its Whittle index, where what is found loses its worth at
 * `decay` a day.
 */
export function readingWorth(belief: Belief, { usual }: Population, from: number, to: number, decay: number): Expected {
  const days = to - from;
  let [worth, rate] = [0, 0];
  for (const habit of HABITS) {
    const states = STATES.slice(habit.from, habit.to);
    const shares = usual.subarray(habit.from, habit.to);
    const mean = states.reduce((sum, state, place) => sum + state.rate * (shares[place] as number), 0) / shares.reduce((a, b) => a + b, 0);
    const [constant, fading] = [worthAtEnd(days, 0, decay), worthAtEnd(days, habit.draws, decay)];
    const stays = Math.exp(-habit.draws * days);
    for (const [place, state] of states.entries()) {
      // Who draws another rate has the mean one from then on.
      const now = mean + (state.rate - mean) * stays;
      const [found, next] =
        state.weekday === undefined
          ? [mean * constant + (state.rate - mean) * fading, now]
          : [foundOnWeekday(state, to, days, decay), isOn(state, weekdayOf(to + 0.5)) ? state.rate : 0];
      const chance = belief[habit.from + place] as number;
      worth += chance * whittleIndex(found, next, decay);
      rate += (chance * now) / (state.weekday === undefined ? 1 : 7);
    }
  }
  return { worth, rate };
}

function foundOnWeekday(state: State, to: number, days: number, decay: number): number {
  const ofDay = state.rate * worthAtEnd(1, 0, decay);
  let found = 0;
  for (let back = 0; back < Math.min(days, WEEKDAYS_BACK); back++)
    if (isOn(state, weekdayOf(to - back - 0.5))) found += ofDay * Math.exp(-decay * back) * Math.min(1, days - back);
  return found;
}

/**
 * The Whittle index: the price at which reading an account tonight is as good as reading it a night later. With the worth after t days as
 * `rate`·(1 − e^(−decay·t)) / decay it is worth − t · rate · e^(−decay·t).
 */
function whittleIndex(worth: number, rate: number, decay: number): number {
  const open = 1 - (decay * worth) / rate;
  return rate <= 0 || open <= 1e-9 ? worth : worth + (rate * open * Math.log(open)) / decay;
}

/** ∫ e^(−speed·s) · e^(−decay·(days − s)) ds over the days: what changes of a rate that falls with `speed` are worth at the end. */
export function worthAtEnd(days: number, speed: number, decay: number): number {
  const apart = decay - speed;
  return Math.abs(apart) < 1e-9 ? days * Math.exp(-decay * days) : (Math.exp(-speed * days) - Math.exp(-decay * days)) / apart;
}
