import { WEEK } from "./habits.ts";

/** What the two answers of a reading leave: the price of a reading, the weight of all that is believed and of no change, and what following brings after each. */
type Answers = {
  readonly price: number;
  readonly sum: number;
  readonly still: number;
  readonly stillValue: number;
  readonly movedValue: number;
};

/** What a reading tells that may find out on which weekday an account changes. Weights are of each weekday, without a change and with one. */
export class WeekdayValue {
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
   * How much more following brings by the answer. Whoever follows an account does it in equal steps, on one weekday, or not at all. One answer seldom tells
   * the weekday: it also has its part, by the information in it, of what knowing the weekday would bring (KG(*) of Frazier and Powell 2010).
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
