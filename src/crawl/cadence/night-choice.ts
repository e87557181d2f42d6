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
export function openChoice<T extends Candidate>(budget: NightBudget) {
  const costOf = (candidate: T): number => candidate.requests;
  const age = ({ age = 0, isParked }: T): number => (isParked && age < budget.maxAge ? age / PARKED_WAITS : age);
  const worth = (candidate: T): number => candidate.worth / candidate.requests;
  const oldest = bestOf(budget.requests, costOf, (a: T, b: T) => age(b) - age(a));
  // Those of the best that are among the oldest cost no more than the budget.
  const best = bestOf(2 * budget.requests, costOf, (a: T, b: T) => worth(b) - worth(a) || age(b) - age(a));
  const fresh: T[] = [];
  let [freshCost, costOfAll] = [0, 0];
  /** What reading costs that may wait for so many nights. */
  const costs: number[] = [];

  return {
    offer: (candidate: T): void => {
      const { requests, age } = candidate;
      costOfAll += requests;
      if (requests > budget.requests) return;
      if (age === undefined) {
        if (freshCost < budget.requests) fresh.push(candidate);
        freshCost += requests;
        return;
      }
      const nights = nightsLeft(age, budget);
      while (costs.length <= nights) costs.push(0);
      costs[nights] = (costs[nights] as number) + requests;
      oldest.offer(candidate);
      best.offer(candidate);
    },
    /** The accounts to read, in order. To be asked once, when all were offered. */
    chosen: (): T[] => {
      const chosen = new Set<T>();
      let left = budget.requests;
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
      take(oldest.ranked(), dueTonight(costs, budget.requests, requestsForAge(costOfAll, budget)));
      take(fresh, Math.ceil(NEVER_READ_SHARE * left));
      take(best.ranked(), left);
      take(fresh, left);
      return [...chosen];
    },
  };
}

/** So much more than the limit may be kept until it is sorted again: however small the limit, not for each item. */
const SPARE = 1_000;

/**
 * The first items in order (`compare` as for sorting) whose costs, positive numbers, reach a limit together; the earlier of equal ones.
 * Memory grows with the limit alone.
 */
export function bestOf<T>(limit: number, costOf: (item: T) => number, compare: (a: T, b: T) => number) {
  const kept: T[] = [];
  let cost = 0;
  /** The worst item that the latest cut kept. Nothing that is not better can be among the first any more. */
  let last: T | undefined;

  /** Sorts and cuts. Sorting is stable, so what came earlier stays before its equals. */
  function ranked(): readonly T[] {
    kept.sort(compare);
    let count = 0;
    for (cost = 0; count < kept.length && cost < limit; count++) cost += costOf(kept[count] as T);
    kept.length = count;
    if (cost >= limit) last = kept.at(-1);
    return kept;
  }

  return {
    ranked,
    offer: (item: T): void => {
      if (last !== undefined && compare(item, last) >= 0) return;
      kept.push(item);
      cost += costOf(item);
      if (cost > 2 * limit + SPARE) ranked();
    },
  };
}
