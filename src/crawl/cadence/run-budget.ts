/** What a run may use, as far as it is limited: requests, and time at a pace (requests a second, 0 for none). */
export type RunBudget = {
  readonly maxRequests: number | undefined;
  readonly maxDurationMs: number | undefined;
  readonly perSecond: number;
};

export type Spent = { readonly requests: number; readonly elapsedMs: number };

/** This share of the requests is left for those that have to be sent again. */
const RESERVED = 0.02;

/** How many requests a run may still send; infinite where nothing limits it, or where no pace tells how many fit a time. */
function requestsAllowed({ maxRequests, maxDurationMs, perSecond }: RunBudget, { requests, elapsedMs }: Spent): number {
  const byCount = maxRequests === undefined ? Number.POSITIVE_INFINITY : maxRequests - requests;
  const byTime =
    maxDurationMs === undefined || perSecond <= 0 ? Number.POSITIVE_INFINITY : ((maxDurationMs - elapsedMs) * perSecond) / 1000;
  return Math.max(0, Math.floor(Math.min(byCount, byTime)));
}

/** How many of these a run may plan for. */
export function requestsLeft(budget: RunBudget, spent: Spent): number {
  return Math.floor(requestsAllowed(budget, spent) * (1 - RESERVED));
}
