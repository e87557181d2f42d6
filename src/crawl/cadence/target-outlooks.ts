import type { PlanRecords } from "../../archive/snapshots/plan.ts";
import type { TargetHistory, TargetHistoryQueries } from "../../work/targets/target-histories.ts";
import type { Candidate, NightBudget } from "./night-choice.ts";
import { outlookOf } from "./night-outlook.ts";
import { isParked } from "./parked-targets.ts";
import { readingWorth } from "./reading-worth.ts";
import { openStretches } from "./stretches.ts";
import { type Alike, type BeliefOptions, changesOf, DAY_MS, openBeliefs } from "./target-beliefs.ts";

type Rating = Candidate & { readonly rate: number };
export type RatedTarget = Rating & Pick<TargetHistory, "account">;

/** What is asked of the night's targets besides their histories. */
export type RatingOptions = Omit<BeliefOptions, "isRecordRead"> & {
  readonly halfLifeMs: number;
  /** Modules of a page; default: what a node gives. */
  readonly pageSize?: number | undefined;
  readonly records?: PlanRecords | undefined;
};

/** Of which targets histories are asked: the accounts of a list, or the stored targets, and how many they are. */
export type TargetsOf = NonNullable<Parameters<TargetHistoryQueries["targetHistories"]>[0]> & { readonly count: number };

/** An account's record, and the default page size of a node. Source: node contract, `api.max_account_modules_page_size`. */
const RECORD_REQUESTS = 1;
const NODE_PAGE = 9_999;
/** Habits are learnt from about this many targets, taken from the whole list in equal steps. */
const SAMPLE = 10_000;
/** So many histories are kept with what was said of them. */
const RATINGS_KEPT = 10_000;
/** What one request brings at least. */
const LEAST_PRICE = 1e-4;

export type TargetOutlooks = Awaited<ReturnType<typeof learnOutlooks>>;

/** Says what reading each target is worth, by its own history and by what others do. */
export async function learnOutlooks(
  { targetHistories }: Pick<TargetHistoryQueries, "targetHistories">,
  of: TargetsOf,
  options: RatingOptions,
  budget: NightBudget,
) {
  const everyNth = Math.max(1, Math.ceil(of.count / SAMPLE));
  const sample: TargetHistory[] = [];
  for await (const page of targetHistories({ ...of, everyNth })) sample.push(...page);
  const { timeOf, nowMs, halfLifeMs, pageSize = NODE_PAGE, records = "all" } = options;
  const decay = Math.LN2 / (halfLifeMs / DAY_MS);
  const stretches = openStretches(decay);
  const reading = readingWorth(stretches, decay);
  const beliefs = openBeliefs(stretches, { ...options, isRecordRead }, decay, budget.nightly);
  const ratings = new Map<string, Rating>();
  let price = LEAST_PRICE;

  /** Whether a visit of the target reads its record too; the plan decides it in the same way. */
  function isRecordRead({ recordNewest }: TargetHistory): boolean {
    return typeof records === "string" ? records === "all" : recordNewest === undefined || recordNewest < records.unreadSince;
  }

  function requestsOf(target: TargetHistory): number {
    return (isRecordRead(target) ? RECORD_REQUESTS : 0) + Math.max(1, Math.ceil(target.modules / pageSize));
  }

  /** Most targets of a long list did the same: nothing, since the same night. */
  function keyOf(target: TargetHistory): string {
    const { covered, hadModules } = target;
    let key = `${covered?.first} ${covered?.newest} ${hadModules} ${requestsOf(target)}`;
    for (const { after, atOrBefore } of changesOf(target, isRecordRead(target))) key += ` ${after} ${atOrBefore}`;
    return key;
  }

  function judge(target: TargetHistory): Rating {
    const { covered } = target;
    const requests = requestsOf(target);
    const { habits, shares, ratio } = beliefs.of(target);
    const to = nowMs / DAY_MS;
    const from = covered === undefined ? to : Math.min(to, timeOf(covered.newest) / DAY_MS);
    const { worth, rate } = reading.outlook(habits, 0, shares, from, to, price * requests);
    return {
      age: covered && to - from,
      requests,
      isParked: isParked(target, timeOf),
      worth: worth + beliefs.common.worth(ratio, from),
      rate: rate + beliefs.common.rate(ratio),
    };
  }

  /** What the last of the accounts is worth per request that a night of so many requests reads. */
  function marginal(alike: readonly Alike[], requests: number): number {
    const rated = alike.map(({ target, accounts }) => ({ ...judge(target), accounts })).filter(({ age }) => age !== undefined);
    let left = requests;
    for (const { worth, requests: each, accounts } of rated.sort((a, b) => b.worth / b.requests - a.worth / a.requests)) {
      left -= each * accounts;
      if (left <= 0) return Math.max(LEAST_PRICE, worth / each);
    }
    return LEAST_PRICE;
  }

  /** The histories that differ, and how many accounts have each. */
  const alike = [...Map.groupBy(sample, keyOf).values()].map(
    (group): Alike => ({ target: group[0] as TargetHistory, accounts: group.length }),
  );
  beliefs.learn(alike);
  // The price of a request is the worth of the last account that the night reads: computed first by the index alone, then with the value
  // of information at that price.
  for (let round = 0; round < 2; round++) price = marginal(alike, budget.requests / everyNth);
  const rated = alike.map(({ target, accounts }) => {
    const { rate, requests } = judge(target);
    return { rate, requests, accounts: accounts * everyNth };
  });

  return {
    night: outlookOf(rated, budget, decay),
    rate: (target: TargetHistory): RatedTarget => {
      const key = keyOf(target);
      let rating = ratings.get(key);
      if (rating === undefined) {
        rating = judge(target);
        if (ratings.size >= RATINGS_KEPT) ratings.clear();
        ratings.set(key, rating);
      }
      return { account: target.account, ...rating };
    },
  };
}
