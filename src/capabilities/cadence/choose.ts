import { compare } from "../../core/base/sorted.ts";
import type { ChoiceOutlook } from "../../core/crawl/targets/choice.ts";
import { believe, type Expected, learnPopulation, type Population, type Readings, readingWorth, worthAtEnd } from "./change-filter.ts";

/** What some accounts have in common: their readings, and what a reading of each costs. */
export type History<Account> = {
  readonly accounts: readonly Account[];
  /** Undefined where they were never read. */
  readonly readings: Readings | undefined;
  /** When they were last asked for without an answer; undefined where they never were, or answered since. */
  readonly failed?: number | undefined;
  readonly requests: number;
  /** Whether tonight's snapshot has them already. */
  readonly isRead: boolean;
};

/** The accounts to read, in order, and what nights of this budget come to. */
export type Choice<Account> = { readonly accounts: readonly Account[]; readonly outlook: ChoiceOutlook };

/** What was never read gets at most this share of the requests that the oldest leave, as long as there is something else to read. */
const NEVER_READ_SHARE = 0.5;
/** Of the requests beyond those for the greatest age, later nights may need this share for it. */
const SPARE_SHARE = 0.75;
/** A night that begins so much of a day later than the one before is still in time. */
const LATE = 0.1;
/** The population is learnt from about this many accounts. */
const SAMPLE = 2_000;

/** An account may be read in several roles; `taken` counts those of a history that are chosen. */
type Candidate<Account> = History<Account> & Expected & { readonly age: number; taken: number };

/**
 * Chooses what a night reads. In this order: the accounts read longest ago, as many as the greatest age needs tonight; what was never read;
 * then what is worth most per request. An account that did not answer has had its turn, else such accounts would take all of each night.
 */
export function choose<Account>(histories: readonly History<Account>[], budget: Budget): Choice<Account> {
  const population = populationOf(histories);
  const expected = histories.map((history) => expectedOf(history, population, budget));
  const outlook = outlookOf(
    histories.map(({ accounts, requests }, place) => ({ accounts: accounts.length, requests, rate: (expected[place] as Expected).rate })),
    budget,
  );
  const open = histories.flatMap((history, place): Candidate<Account>[] => {
    const age = Math.max(0, budget.now - askedAt(history));
    return history.isRead ? [] : [{ ...history, ...(expected[place] as Expected), age, taken: 0 }];
  });
  const chosen: Account[] = [];
  let left = budget.requests;
  const take = (candidates: readonly Candidate<Account>[], limit: number): void => {
    let spent = 0;
    for (const candidate of candidates) {
      const { accounts, requests } = candidate;
      while (spent < limit && requests <= left && candidate.taken < accounts.length) {
        chosen.push(accounts[candidate.taken] as Account);
        candidate.taken += 1;
        spent += requests;
        left -= requests;
      }
    }
  };
  const byAge = open.toSorted((a, b) => compare(b.age, a.age));
  const known = byAge.filter(({ readings, requests }) => readings !== undefined && requests <= budget.requests);
  const fresh = byAge.filter(({ readings }) => readings === undefined);
  take(known, dueTonight(known, budget, outlook.requestsForAge));
  take(fresh, Math.ceil(NEVER_READ_SHARE * left));
  take(
    known.toSorted((a, b) => b.worth / b.requests - a.worth / a.requests),
    left,
  );
  take(fresh, left);
  // A budget that ends before the first account: one is planned, and the next run reads it.
  const first = open[0]?.accounts[0];
  return { accounts: chosen.length > 0 || first === undefined ? chosen : [first], outlook };
}

function populationOf(histories: readonly History<unknown>[]): Population {
  const all = histories.reduce((sum, { accounts }) => sum + accounts.length, 0);
  const step = Math.max(1, all / SAMPLE);
  let seen = 0;
  const samples = histories.flatMap(({ readings, accounts }) => {
    const before = Math.floor(seen / step);
    seen += accounts.length;
    const taken = Math.floor(seen / step) - before;
    return readings === undefined || taken === 0 ? [] : [{ readings, accounts: taken * step }];
  });
  return learnPopulation(samples);
}

const NEVER = Number.NEGATIVE_INFINITY;

/** When accounts were last asked for. */
const askedAt = ({ readings, failed }: History<unknown>): number => Math.max(readings?.newest ?? NEVER, failed ?? NEVER);

function expectedOf(history: History<unknown>, population: Population, { now, halfLife }: Budget): Expected {
  const { readings } = history;
  const belief = readings === undefined ? population.newcomers : believe(readings, population);
  return readingWorth(belief, population, Math.min(now, readings === undefined ? now : askedAt(history)), now, Math.LN2 / halfLife);
}

/**
 * The least to read tonight so that no account exceeds the greatest age: just enough that no later night has more due than it can read.
 */
function dueTonight(known: readonly Candidate<unknown>[], { requests, maxAge, nightly }: Budget, forAge: number): number {
  if (forAge > requests) return Math.floor(OLDEST_SHARE * requests);
  /** What those cost that may wait for so many nights. */
  const costs: number[] = [];
  for (const { age, accounts, requests } of known) {
    const nights = Math.max(0, Math.floor((maxAge - age) / nightly + LATE));
    costs[nights] = (costs[nights] ?? 0) + accounts.length * requests;
  }
  const perNight = forAge + SPARE_SHARE * (requests - forAge);
  let [due, tonight] = [0, 0];
  for (const [nights, cost = 0] of costs.entries()) {
    due += cost;
    tonight = Math.max(tonight, due - nights * perNight);
  }
  return Math.min(Math.ceil(tonight), requests);
}

/** Times in days. */
export type Budget = {
  readonly requests: number;
  readonly now: number;
  /** The age within which every account is read, where the budget suffices for that. */
  readonly maxAge: number;
  /** From one night to the next. */
  readonly nightly: number;
  /** The delay at which a change that is found is worth half as much. */
  readonly halfLife: number;
};

/** Accounts alike: the changes a day to expect of each, the requests of a reading, and how many they are. */
type Group = { readonly rate: number; readonly requests: number; readonly accounts: number };

/** While the greatest age cannot be kept, the accounts read longest ago get this share of the requests. */
const OLDEST_SHARE = 0.3;
const DAY_MS = 86_400_000;
const STEPS = 40;
const LONGEST_DAYS = 1e6;

/**
 * The forecast. Readings of an account are taken to be apart by the square root of their requests per change, as the budget allows, and by
 * at most the time in which all come round.
 */
function outlookOf(groups: readonly Group[], { requests, nightly, maxAge, halfLife }: Budget): ChoiceOutlook {
  const total = (value: (group: Group) => number): number => groups.reduce((sum, group) => sum + group.accounts * value(group), 0);
  const cost = total((group) => group.requests);
  const requestsForAge = Math.ceil((cost * nightly) / Math.max(maxAge, nightly));
  const isAgeKept = requestsForAge <= requests;
  const [forOldest, forOthers] = isAgeKept ? [0, requests] : [OLDEST_SHARE * requests, (1 - OLDEST_SHARE) * requests];
  const limit = isAgeKept ? maxAge : Number.POSITIVE_INFINITY;
  const apart = ({ requests: each, rate }: Group, scale: number): number =>
    Math.max(nightly, Math.min(limit, scale * Math.sqrt(each / rate)));
  const scale = leastWhere(LONGEST_DAYS, (scale) => total((group) => (group.requests * nightly) / apart(group, scale)) <= forOthers);
  // What is read before its turn leaves the round to the others.
  const round = (days: number): number => (nightly * total((group) => (apart(group, scale) < days ? 0 : group.requests))) / forOldest;
  const age = isAgeKept
    ? maxAge
    : requests > 0
      ? Math.max(
          maxAge,
          leastWhere(LONGEST_DAYS, (days) => round(days) <= days),
        )
      : limit;
  const changes = total(({ rate }) => rate);
  const share = (value: (days: number) => number, daysOf: (group: Group) => number): number | undefined =>
    changes > 0 ? total((group) => group.rate * value(Math.max(nightly, daysOf(group)))) / changes : undefined;
  const usefulness = (days: number): number => (days < LONGEST_DAYS ? worthAtEnd(days, 0, Math.LN2 / halfLife) / days : 0);
  const period = (group: Group): number => (requests > 0 ? Math.min(age, apart(group, scale)) : limit);
  return {
    usefulness: share(usefulness, period),
    ofRoundRobin: share(usefulness, () => (nightly * cost) / requests),
    knownWithinDay: share((days) => Math.min(1, 1 / days), period),
    ageMs: age * DAY_MS,
    wantedAgeMs: maxAge * DAY_MS,
    isAgeKept,
    requestsForAge,
  };
}

/** The least number up to a bound of which something is true that is true of all greater ones; the bound where it is true of none. */
function leastWhere(most: number, isTrue: (value: number) => boolean): number {
  let [low, high] = [1 / most, most];
  for (let step = 0; step < STEPS; step++) {
    const middle = Math.sqrt(low * high);
    if (isTrue(middle)) high = middle;
    else low = middle;
  }
  return high;
}
