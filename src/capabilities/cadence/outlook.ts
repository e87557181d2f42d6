import { DAY_MS } from "../../core/base/time.ts";
import type { ChoiceOutlook } from "../../core/crawl/targets/choice.ts";
import { worthAtEnd } from "./change-filter.ts";

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
export const OLDEST_SHARE = 0.3;
const STEPS = 40;
const LONGEST_DAYS = 1e6;

/**
 * The forecast. Readings of an account are taken to be apart by the square root of their requests per change, as the budget allows, and by
 * at most the time in which all come round.
 */
export function outlookOf(groups: readonly Group[], { requests, nightly, maxAge, halfLife }: Budget): ChoiceOutlook {
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
