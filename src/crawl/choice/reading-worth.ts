import { type Belief, HABITS, isOn, type Population, STATES, type State, weekdayOf } from "./change-filter.ts";

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
