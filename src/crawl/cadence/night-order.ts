import { BestOf } from "./best-of.ts";

/** An account that a night may read. `age` is the time since it was last read, in the unit of its rate; undefined when it never was. */
export type Candidate = {
  readonly rate: number;
  readonly age: number | undefined;
  readonly requests: number;
  /** Whether it held nothing whenever it was read: it gives way to others where the budget is too small for a round in time. */
  readonly isParked?: boolean;
};

/** What a night has. */
export type NightBudget = {
  /** Requests that it may use. */
  readonly requests: number;
  /** Every account is read at least once in this time, as far as the budget allows. */
  readonly maxAge: number;
  /** How long until the next night. */
  readonly nightly: number;
  /** A change is to be known within this time: what changed longer ago is late already, whenever it is read. */
  readonly within: number;
};

/** Requests that a night spends so that all accounts come round in time, where reading all of them costs so many. */
export function roundCost(costOfAll: number, { maxAge, nightly }: NightBudget): number {
  return Math.ceil((costOfAll * nightly) / maxAge);
}

/** Accounts that take turns: the oldest of them, and what reading all would cost. */
class Round<T extends Candidate> {
  readonly oldest: BestOf<T>;
  cost = 0;

  constructor(limit: number) {
    const compare = (a: T, b: T): number => (b.age as number) - (a.age as number);
    this.oldest = new BestOf({ limit, costOf: ({ requests }) => requests, compare });
  }

  offer(candidate: T): void {
    this.cost += candidate.requests;
    this.oldest.offer(candidate);
  }
}

/**
 * Chooses what a night reads of any number of accounts, offered one by one. Memory grows with the budget.
 *
 * The order: those never read; those as old as `maxAge`; of the others the oldest, as many as it takes to go round all of them within `maxAge`, so
 * that they do not all fall due in one night; then those that most likely changed since they were read, and not so long ago that it is late already,
 * per request. What does not fit the budget any more is passed over. Parked accounts come after all others of the second and the third part.
 */
export class NightChoice<T extends Candidate> {
  readonly #budget: NightBudget;
  readonly #fresh: T[] = [];
  #left: number;
  readonly #active: Round<T>;
  readonly #parked: Round<T>;
  readonly #worth: BestOf<T>;

  constructor(budget: NightBudget) {
    const { requests, within } = budget;
    this.#budget = budget;
    this.#left = requests;
    this.#active = new Round(requests);
    this.#parked = new Round(requests);
    const worth = ({ rate, age = within, requests }: T): number => (rate * Math.min(age, within)) / requests;
    const compare = (a: T, b: T): number => worth(b) - worth(a) || (b.age as number) - (a.age as number);
    // Those of the best that the other parts have chosen already cost no more than the budget.
    this.#worth = new BestOf({ limit: 2 * requests, costOf: (candidate) => candidate.requests, compare });
  }

  offer(candidate: T): void {
    if (candidate.requests > this.#budget.requests) return;
    if (candidate.age === undefined) {
      if (candidate.requests > this.#left) return;
      this.#fresh.push(candidate);
      this.#left -= candidate.requests;
      return;
    }
    (candidate.isParked ? this.#parked : this.#active).offer(candidate);
    this.#worth.offer(candidate);
  }

  /** The accounts to read, in order. To be asked once, when all were offered. */
  chosen(): T[] {
    const { maxAge } = this.#budget;
    const chosen = new Set<T>(this.#fresh);
    const take = (list: readonly T[], limit = Number.POSITIVE_INFINITY): void => {
      let spent = 0;
      for (const candidate of list) {
        if (this.#left <= 0 || spent >= limit) return;
        if (chosen.has(candidate) || candidate.requests > this.#left) continue;
        chosen.add(candidate);
        this.#left -= candidate.requests;
        spent += candidate.requests;
      }
    };
    const rounds = [this.#active, this.#parked];
    for (const { oldest } of rounds) take(oldest.ranked().filter(({ age }) => (age as number) >= maxAge));
    for (const { oldest, cost } of rounds) take(oldest.ranked(), roundCost(cost, this.#budget));
    take(this.#worth.ranked());
    return [...chosen];
  }
}

/** What a night reads of a list. */
export function planReads<T extends Candidate>(candidates: readonly T[], budget: NightBudget): T[] {
  const choice = new NightChoice<T>(budget);
  for (const candidate of candidates) choice.offer(candidate);
  return choice.chosen();
}
