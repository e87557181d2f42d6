import type { PlanRecords } from "../../archive/snapshots/plan.ts";
import type { Store } from "../../work/store.ts";
import type { TargetHistory } from "../../work/targets/target-histories.ts";
import type { Candidate, NightBudget } from "./night-choice.ts";
import { type NightOutlook, outlookOf } from "./night-outlook.ts";
import { isParked } from "./parked-targets.ts";
import { ReadingWorth } from "./reading-worth.ts";
import { Stretches } from "./stretches.ts";
import { type Alike, type BeliefOptions, changesOf, DAY_MS, TargetBeliefs } from "./target-beliefs.ts";

export type RatedTarget = Candidate & Pick<TargetHistory, "account"> & { readonly rate: number };

/** What is asked of the night's targets besides their histories. */
export type RatingOptions = Omit<BeliefOptions, "isRecordRead"> & {
  readonly halfLifeMs: number;
  /** Modules of a page; default: what a node gives. */
  readonly pageSize?: number | undefined;
  readonly records?: PlanRecords | undefined;
};

/** Of which targets histories are asked: the accounts of a list, or the stored targets, and how many they are. */
export type TargetsOf = NonNullable<Parameters<Store["targetHistories"]>[0]> & { readonly count: number };

/** An account's record, and the default page size of a node. Source: node contract, `api.max_account_modules_page_size`. */
const RECORD_REQUESTS = 1;
const NODE_PAGE = 9_999;
/** Habits are learnt from about this many targets, taken from the whole list in equal steps. */
const SAMPLE = 10_000;
/** So many histories are kept with what was said of them. */
const RATINGS_KEPT = 10_000;
/** What one request brings at least. */
const LEAST_PRICE = 1e-4;

/** Says what reading each target is worth, by its own history and by what others do. */
export class TargetOutlooks {
  readonly #options: RatingOptions;
  readonly #beliefs: TargetBeliefs;
  readonly #reading: ReadingWorth;
  readonly #ratings = new Map<string, Omit<RatedTarget, "account">>();
  #price = LEAST_PRICE;
  /** What nights of this budget come to. */
  readonly night: NightOutlook;

  /** `sample` are histories of one in `everyNth` targets. */
  private constructor(options: RatingOptions, sample: readonly TargetHistory[], everyNth: number, budget: NightBudget) {
    this.#options = options;
    const decay = Math.LN2 / (options.halfLifeMs / DAY_MS);
    const stretches = new Stretches(decay);
    this.#reading = new ReadingWorth(stretches, decay);
    const isRecordRead = (target: TargetHistory): boolean => this.#isRecordRead(target);
    this.#beliefs = new TargetBeliefs(stretches, { ...options, isRecordRead }, decay, budget.nightly);
    const alike = this.#groupAlike(sample);
    this.#beliefs.learn(alike);
    // The price of a request is the worth of the last account that the night reads: computed first by the index alone, then with the value
    // of information at that price.
    for (let round = 0; round < 2; round++) this.#price = this.#marginal(alike, budget.requests / everyNth);
    const rated = alike.map(({ target, accounts }) => {
      const { rate, requests } = this.#judge(target);
      return { rate, requests, accounts: accounts * everyNth };
    });
    this.night = outlookOf(rated, budget, decay);
  }

  static async learn(
    store: Pick<Store, "targetHistories">,
    of: TargetsOf,
    options: RatingOptions,
    budget: NightBudget,
  ): Promise<TargetOutlooks> {
    const everyNth = Math.max(1, Math.ceil(of.count / SAMPLE));
    const sample: TargetHistory[] = [];
    for await (const page of store.targetHistories({ ...of, everyNth })) sample.push(...page);
    return new TargetOutlooks(options, sample, everyNth, budget);
  }

  rate(target: TargetHistory): RatedTarget {
    const key = this.#keyOf(target);
    let rating = this.#ratings.get(key);
    if (rating === undefined) {
      rating = this.#judge(target);
      if (this.#ratings.size >= RATINGS_KEPT) this.#ratings.clear();
      this.#ratings.set(key, rating);
    }
    return { account: target.account, ...rating };
  }

  #judge(target: TargetHistory): Omit<RatedTarget, "account"> {
    const { timeOf, nowMs } = this.#options;
    const { covered } = target;
    const requests = this.#requestsOf(target);
    const { habits, shares, ratio } = this.#beliefs.of(target);
    const to = nowMs / DAY_MS;
    const from = covered === undefined ? to : Math.min(to, timeOf(covered.newest) / DAY_MS);
    const { worth, rate } = this.#reading.outlook(habits, 0, shares, from, to, this.#price * requests);
    const { common } = this.#beliefs;
    return {
      age: covered && to - from,
      requests,
      isParked: isParked(target, timeOf),
      worth: worth + common.worth(ratio, from),
      rate: rate + common.rate(ratio),
    };
  }

  /** The histories that differ, and how many accounts have each. */
  #groupAlike(sample: readonly TargetHistory[]): Alike[] {
    const groups = new Map<string, Alike>();
    for (const target of sample) {
      const key = this.#keyOf(target);
      const known = groups.get(key);
      if (known !== undefined) known.accounts += 1;
      else groups.set(key, { target, accounts: 1 });
    }
    return [...groups.values()];
  }

  /** What the last of the accounts is worth per request that a night of so many requests reads. */
  #marginal(sample: readonly Alike[], requests: number): number {
    const rated = sample.map(({ target, accounts }) => ({ ...this.#judge(target), accounts })).filter(({ age }) => age !== undefined);
    let left = requests;
    for (const { worth, requests: each, accounts } of rated.sort((a, b) => b.worth / b.requests - a.worth / a.requests)) {
      left -= each * accounts;
      if (left <= 0) return Math.max(LEAST_PRICE, worth / each);
    }
    return LEAST_PRICE;
  }

  /** Most targets of a long list did the same: nothing, since the same night. */
  #keyOf(target: TargetHistory): string {
    const { covered, hadModules } = target;
    let key = `${covered?.first} ${covered?.newest} ${hadModules} ${this.#requestsOf(target)}`;
    for (const { after, atOrBefore } of changesOf(target, this.#isRecordRead(target))) key += ` ${after} ${atOrBefore}`;
    return key;
  }

  #requestsOf(target: TargetHistory): number {
    const pages = Math.max(1, Math.ceil(target.modules / (this.#options.pageSize ?? NODE_PAGE)));
    return (this.#isRecordRead(target) ? RECORD_REQUESTS : 0) + pages;
  }

  /** Whether a visit of the target reads its record too; the plan decides it in the same way. */
  #isRecordRead({ recordNewest }: TargetHistory): boolean {
    const { records = "all" } = this.#options;
    return typeof records === "string" ? records === "all" : recordNewest === undefined || recordNewest < records.unreadSince;
  }
}
