import { compare } from "../../core/base/lists.ts";
import type { ChoiceOutlook } from "../../core/crawl/targets/choice.ts";
import { believe, type Expected, learnPopulation, type Population, type Readings, readingWorth } from "./change-filter.ts";
import { type Budget, OLDEST_SHARE, outlookOf } from "./outlook.ts";

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
 * then what is worth most per request. An account that did not answer has had its turn, else such accounts would take all of each night:
 * one that never did comes again once all others were asked since. The one asked longest ago is always chosen, and the night asks it first,
 * so that in as many nights as there are accounts each is asked, even where a single failure costs the rest of its night.
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
  const fresh = byAge.filter(({ readings, age }) => readings === undefined && age >= (known[0]?.age ?? 0));
  take(fresh, 1);
  take(known, Math.max(1, dueTonight(known, budget, outlook.requestsForAge)));
  take(fresh, Math.ceil(NEVER_READ_SHARE * left));
  take(
    known.toSorted((a, b) => b.worth / b.requests - a.worth / a.requests),
    left,
  );
  take(byAge, left);
  // A budget that ends before the first account: one is planned, and the next run reads it.
  const first = byAge[0]?.accounts[0];
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
