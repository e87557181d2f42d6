import TinyQueue from "tinyqueue";

export type Candidate = {
  readonly worth: number;
  /** Days since it was last read; undefined when it never was. */
  readonly age: number | undefined;
  readonly requests: number;
  /** Whether it held nothing whenever it was read: it waits longer where the budget is too small for all. */
  readonly isParked?: boolean;
};

export type NightBudget = {
  readonly requests: number;
  /** Days within which every account is read, where the budget suffices for that. */
  readonly maxAge: number;
  /** Days until the next night. */
  readonly nightly: number;
};

/** While the greatest age cannot be kept, the accounts read longest ago get this share of the requests. */
export const OLDEST_SHARE = 0.3;
/** What was never read gets at most this share of the requests that the round leaves, as long as there is something else to read. */
const NEVER_READ_SHARE = 0.5;
/** Of what the round leaves of a night, the nights to come may need this share for theirs. */
const SPARE_SHARE = 0.75;
/** A night that begins so much of a day later than the one before is still in time. */
const LATE = 0.1;
/** While the greatest age cannot be kept, a parked account waits so many times as long. */
const PARKED_WAITS = 4;

/** The requests of a night that keep the greatest age, where reading all costs so many. */
export function requestsForAge(costOfAll: number, { maxAge, nightly }: Pick<NightBudget, "maxAge" | "nightly">): number {
  return Math.ceil((costOfAll * nightly) / Math.max(maxAge, nightly));
}

/**
 * The least to read tonight so that no account exceeds the greatest age: just enough that no later night has more due than it can
 * read. `costs[n]` is the cost of the accounts that may wait n nights.
 */
export function dueTonight(costs: ArrayLike<number>, requests: number, requestsForAge: number): number {
  if (requestsForAge > requests) return Math.floor(OLDEST_SHARE * requests);
  const nightly = requestsForAge + SPARE_SHARE * (requests - requestsForAge);
  let [due, tonight] = [0, 0];
  for (let nights = 0; nights < costs.length; nights++) {
    due += costs[nights] as number;
    tonight = Math.max(tonight, due - nights * nightly);
  }
  return Math.min(Math.ceil(tonight), requests);
}

export function nightsLeft(age: number, { maxAge, nightly }: Pick<NightBudget, "maxAge" | "nightly">): number {
  return Math.max(0, Math.floor((maxAge - age) / nightly + LATE));
}

/**
 * Chooses what a night reads of any number of accounts, offered one by one. Memory grows with the budget. The order: the oldest,
 * as many as the greatest age needs tonight; what was never read; then what is worth most per request.
 */
export class NightChoice<T extends Candidate> {
  readonly #budget: NightBudget;
  readonly #oldest: BestOf<T>;
  readonly #best: BestOf<T>;
  readonly #fresh: T[] = [];
  #freshCost = 0;
  #costOfAll = 0;
  /** What reading costs that may wait for so many nights. */
  readonly #costs: number[] = [];

  constructor(budget: NightBudget) {
    const { requests } = budget;
    this.#budget = budget;
    const costOf = (candidate: T): number => candidate.requests;
    const age = ({ age = 0, isParked }: T): number => (isParked && age < budget.maxAge ? age / PARKED_WAITS : age);
    this.#oldest = new BestOf({ limit: requests, costOf, compare: (a, b) => age(b) - age(a) });
    const worth = (candidate: T): number => candidate.worth / candidate.requests;
    // Those of the best that are among the oldest cost no more than the budget.
    this.#best = new BestOf({ limit: 2 * requests, costOf, compare: (a, b) => worth(b) - worth(a) || age(b) - age(a) });
  }

  offer(candidate: T): void {
    const { requests, age } = candidate;
    this.#costOfAll += requests;
    if (requests > this.#budget.requests) return;
    if (age === undefined) {
      if (this.#freshCost < this.#budget.requests) this.#fresh.push(candidate);
      this.#freshCost += requests;
      return;
    }
    const nights = nightsLeft(age, this.#budget);
    while (this.#costs.length <= nights) this.#costs.push(0);
    this.#costs[nights] = (this.#costs[nights] as number) + requests;
    this.#oldest.offer(candidate);
    this.#best.offer(candidate);
  }

  /** The accounts to read, in order. To be asked once, when all were offered. */
  chosen(): T[] {
    const chosen = new Set<T>();
    let left = this.#budget.requests;
    const take = (list: readonly T[], limit: number): void => {
      let spent = 0;
      for (const candidate of list) {
        if (spent >= limit) return;
        if (chosen.has(candidate) || candidate.requests > left) continue;
        chosen.add(candidate);
        left -= candidate.requests;
        spent += candidate.requests;
      }
    };
    const forAge = requestsForAge(this.#costOfAll, this.#budget);
    take(this.#oldest.ranked(), dueTonight(this.#costs, this.#budget.requests, forAge));
    take(this.#fresh, Math.ceil(NEVER_READ_SHARE * left));
    take(this.#best.ranked(), left);
    take(this.#fresh, left);
    return [...chosen];
  }
}

/** How to tell what is best: `compare` as for sorting, best first; `costOf` a positive number; `limit` what the best may cost together. */
type BestOfOptions<T> = {
  readonly limit: number;
  readonly costOf: (item: T) => number;
  readonly compare: (a: T, b: T) => number;
};

type Placed<T> = { readonly item: T; readonly place: number };

/** The first items in order whose costs reach a limit together. Memory grows with the limit alone. Stable for equal items. */
export class BestOf<T> {
  readonly #options: BestOfOptions<T>;
  /** The best so far with the places in which they came, the worst first. */
  readonly #best: TinyQueue<Placed<T>>;
  #cost = 0;
  #offered = 0;

  constructor(options: BestOfOptions<T>) {
    this.#options = options;
    this.#best = new TinyQueue<Placed<T>>([], (a, b) => options.compare(b.item, a.item) || b.place - a.place);
  }

  offer(item: T): void {
    const { limit, costOf, compare } = this.#options;
    const last = this.#best.peek();
    if (this.#cost >= limit && (last === undefined || compare(item, last.item) >= 0)) return;
    this.#best.push({ item, place: this.#offered++ });
    this.#cost += costOf(item);
    for (let worst = this.#best.peek(); worst !== undefined; worst = this.#best.peek()) {
      const without = this.#cost - costOf(worst.item);
      if (without < limit) return;
      this.#best.pop();
      this.#cost = without;
    }
  }

  /** The best so far, best first. */
  ranked(): readonly T[] {
    const { compare } = this.#options;
    return this.#best.data.toSorted((a, b) => compare(a.item, b.item) || a.place - b.place).map(({ item }) => item);
  }
}
