import { type NightBudget, OLDEST_SHARE, requestsForAge } from "./night-choice.ts";
import { worthAtEnd } from "./stretches.ts";
import { DAY_MS } from "./target-beliefs.ts";

/** What nights like one under a budget come to. Shares from 0 to 1; undefined where no change is expected. */
export type NightOutlook = ReturnType<typeof outlookOf>;

/** Accounts alike: the changes a day to expect of each, the requests of a reading, and how many they are. */
export type Group = { readonly rate: number; readonly requests: number; readonly accounts: number };

/** Rounds to find the age in: each leaves a part of the error. */
const ROUNDS = 20;
/** Halvings of what is left between two prices, and between two periods. */
const PRICE_STEPS = 24;
const PERIOD_STEPS = 30;
/** What one request brings at least. */
const LEAST_PRICE = 1e-6;

/** The forecast for nights of a budget: an account is read when it is due, or when its index reaches the price that uses up the budget. */
export function outlookOf(groups: readonly Group[], budget: NightBudget, decay: number) {
  const { requests, nightly, maxAge } = budget;
  const total = (value: (group: Group, place: number) => number): number =>
    groups.reduce((sum, group, place) => sum + group.accounts * value(group, place), 0);
  const cost = total((group) => group.requests);
  const forAge = requestsForAge(cost, budget);
  const isAgeKept = forAge <= requests;
  const periodsAt = (price: number): number[] => groups.map(({ rate, requests: each }) => periodAt((price * each * decay) / rate) / decay);
  const spentAt = (price: number): number => {
    const periods = periodsAt(price);
    const limit = isAgeKept ? maxAge : Number.POSITIVE_INFINITY;
    return total((group, place) => (group.requests * nightly) / Math.max(nightly, Math.min(limit, periods[place] as number)));
  };
  const forWorth = isAgeKept ? requests : (1 - OLDEST_SHARE) * requests;
  let [low, high] = [LEAST_PRICE, Math.max(LEAST_PRICE, ...groups.map(({ rate, requests: each }) => rate / decay / each))];
  for (let step = 0; step < PRICE_STEPS; step++) {
    const middle = Math.sqrt(low * high);
    if (spentAt(middle) > forWorth) low = middle;
    else high = middle;
  }
  const periods = periodsAt(requests > 0 ? high : Number.POSITIVE_INFINITY);
  let age = maxAge;
  if (!isAgeKept) {
    age = (nightly * cost) / (OLDEST_SHARE * requests);
    // What is read before its turn leaves the round to the others.
    for (let round = 0; round < ROUNDS && age < Number.POSITIVE_INFINITY; round++) {
      const others = total((group, place) => ((periods[place] as number) < age ? 0 : group.requests));
      age = Math.max(maxAge, (age + (nightly * others) / (OLDEST_SHARE * requests)) / 2);
    }
  }
  const changes = total(({ rate }) => rate);
  const share = (value: (days: number) => number, daysOf: (place: number) => number): number | undefined =>
    changes > 0 ? total(({ rate }, place) => rate * value(Math.max(nightly, daysOf(place)))) / changes : undefined;
  const usefulness = (days: number): number => (days === Number.POSITIVE_INFINITY ? 0 : worthAtEnd(days, 0, decay) / days);
  const period = (place: number): number => Math.min(age, periods[place] as number);
  return {
    /** The mean of 2^(−delay / half-life) over the changes to come: 1 where each is known at once. */
    usefulness: share(usefulness, period),
    /** The same where the accounts take turns. */
    ofRoundRobin: share(usefulness, () => (nightly * cost) / requests),
    knownWithinDay: share((days) => Math.min(1, 1 / days), period),
    /** The age that no reading passes, as far as nights like this one come; infinite where the budget is nothing. */
    ageMs: age * DAY_MS,
    wantedAgeMs: maxAge * DAY_MS,
    isAgeKept,
    requestsForAge: forAge,
  };
}

/** The time, in units of 1 / decay, after which the index of a steady rate reaches this share of its maximum: 1 − e^(−x)·(1 + x). */
function periodAt(share: number): number {
  if (!(share < 1)) return Number.POSITIVE_INFINITY;
  let [low, high] = [0, 64];
  for (let step = 0; step < PERIOD_STEPS; step++) {
    const middle = (low + high) / 2;
    if (1 - Math.exp(-middle) * (1 + middle) < share) low = middle;
    else high = middle;
  }
  return low;
}
