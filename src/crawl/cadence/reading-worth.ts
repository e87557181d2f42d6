import { BELIEF_SIZE, type Shares } from "./change-model.ts";
import { HABITS, type Habit, WEEK, WEEKLY_FROM } from "./habits.ts";
import { type Stretches, worthAtEnd } from "./stretches.ts";

/** An account whose habit does not change is followed for this many days, as far as what a reading tells is reckoned. */
const FOLLOWED_DAYS = 30;
/** And on its weekday for this many, which seldom changes. */
const FOLLOWED_WEEKDAY_DAYS = 60;
/** Days between readings, of which the best is looked for. */
const PERIODS = [1, 2, 3, 4, 6, 8, 12, 16, 24];

/** What to expect of an account that was not read for a while. Rates in changes a day. */
export type Outlook = {
  /** What reading it is worth: its index, and what the reading tells. */
  readonly worth: number;
  /** The changes a day to expect of it. */
  readonly rate: number;
};

/** What readings are worth where what is found loses its worth at `decay` a day. */
export function readingWorth(stretches: Stretches, decay: number) {
  const ofPeriod = PERIODS.map((days) => worthAtEnd(days, 0, decay));
  const onWeekday = new WeekdayValue();
  let knownPrice = Number.NaN;
  /** The value of following an account with a habit, quiet or busy; for habits of one weekday, the value of reading on that day only. */
  const value = new Float64Array(BELIEF_SIZE);
  const onDay = new Float64Array(HABITS.length);

  /** The value of following accounts, less the cost of their readings, while their habits last. A reading that shows no value is a loss. */
  function valueAt(price: number): void {
    if (price === knownPrice) return;
    knownPrice = price;
    const net = (rate: number, days: number): number => {
      let best = 0;
      for (const [step, period] of PERIODS.entries()) best = Math.max(best, ((rate * (ofPeriod[step] as number) - price) * days) / period);
      return best > 0 ? best : -price;
    };
    for (const [habit, { quiet, busy, rest, weekday }] of HABITS.entries()) {
      value[2 * habit] = net(weekday === undefined ? quiet : quiet / WEEK, FOLLOWED_DAYS);
      value[2 * habit + 1] = net(busy, 1 / (rest + 1 / FOLLOWED_DAYS));
      onDay[habit] = price + Math.max(0, ((busy * (ofPeriod[0] as number) - price) * FOLLOWED_WEEKDAY_DAYS) / WEEK);
    }
  }

  return {
    /**
     * The outlook on day `to` for an account last read on day `from`, if a reading has to be worth at least `price`. The worth is the index
     * plus the value of the answer for later readings.
     */
    outlook: (beliefs: Float64Array, at: number, shares: Shares, from: number, to: number, price: number): Outlook => {
      const { none, some, ahead, index } = stretches.between(from, to);
      valueAt(price);
      const weekdays = onWeekday.clear();
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
        weekdays.add((HABITS[habit] as Habit).weekday as number, stillQuiet, movedQuiet, onDay[habit] as number);
      }
      return { worth: (worth + weekdays.told({ price, sum, still, stillValue, movedValue })) / sum, rate: rate / sum };
    },
  };
}

/**
 * The state after each of a reading's two answers: the reading's price, the weights of all beliefs and of no change, and the value of
 * following.
 */
type Answers = Readonly<Record<"price" | "sum" | "still" | "stillValue" | "movedValue", number>>;

/** What a reading reveals about the weekday on which an account changes. Weights per weekday, without a change and with one. */
class WeekdayValue {
  readonly #still = new Float64Array(WEEK);
  readonly #moved = new Float64Array(WEEK);
  /** The same times what reading on that weekday alone brings. */
  readonly #stillValue = new Float64Array(WEEK);
  readonly #movedValue = new Float64Array(WEEK);

  clear(): this {
    for (const list of [this.#still, this.#moved, this.#stillValue, this.#movedValue]) list.fill(0);
    return this;
  }

  add(weekday: number, still: number, moved: number, value: number): void {
    this.#still[weekday] = (this.#still[weekday] as number) + still;
    this.#moved[weekday] = (this.#moved[weekday] as number) + moved;
    this.#stillValue[weekday] = (this.#stillValue[weekday] as number) + still * value;
    this.#movedValue[weekday] = (this.#movedValue[weekday] as number) + moved * value;
  }

  /**
   * The value of the answer for following the account: in equal steps, on one weekday, or not at all. One answer seldom reveals the
   * weekday, so it counts for a share of that value, by its information (KG(*) of Frazier and Powell 2010).
   */
  told({ price, sum, still, stillValue, movedValue }: Answers): number {
    let [ifStill, ifMoved, either] = [Math.max(0, stillValue), Math.max(0, movedValue), Math.max(0, stillValue + movedValue)];
    let ifKnown = 0;
    for (let day = 0; day < WEEK; day++) {
      const [ofStill, ofMoved] = [this.#stillValue[day] as number, this.#movedValue[day] as number];
      ifStill = Math.max(ifStill, ofStill - still * price);
      ifMoved = Math.max(ifMoved, ofMoved - (sum - still) * price);
      either = Math.max(either, ofStill + ofMoved - sum * price);
      ifKnown += Math.max(0, ofStill + ofMoved - ((this.#still[day] as number) + (this.#moved[day] as number)) * price);
    }
    const byAnswer = Math.max(0, ifStill + ifMoved - either);
    return ifKnown > either ? Math.max(byAnswer, (ifKnown - either) * this.#partTold(sum, still)) : byAnswer;
  }

  /** The part of what is not known about the weekday that the answer tells, in bits of both. */
  #partTold(sum: number, still: number): number {
    const bits = (weight: number): number => (weight > 0 ? weight * Math.log2(weight / sum) : 0);
    let [both, weekday, otherStill, otherMoved] = [0, 0, still, sum - still];
    for (let day = 0; day < WEEK; day++) {
      const [ofStill, ofMoved] = [this.#still[day] as number, this.#moved[day] as number];
      both += bits(ofStill) + bits(ofMoved);
      weekday += bits(ofStill + ofMoved);
      otherStill -= ofStill;
      otherMoved -= ofMoved;
    }
    both += bits(otherStill) + bits(otherMoved);
    weekday += bits(otherStill + otherMoved);
    const told = both - weekday - bits(still) - bits(sum - still);
    return weekday < 0 ? Math.min(1, Math.max(0, told / -weekday)) : 0;
  }
}
