import type { PlanRecords } from "../../archive/snapshots/plan.ts";
import { NumberSet } from "../../base/number-set.ts";
import type { Store } from "../../work/store.ts";
import type { ChangedBetween, TargetHistory } from "../../work/targets/target-histories.ts";
import { BELIEF_SIZE, ChangeModel, evenShares, type Shares } from "./change-model.ts";
import type { Candidate, NightBudget } from "./night-choice.ts";
import { type NightOutlook, outlookOf } from "./night-outlook.ts";

/** The unit of rates and ages. */
export const DAY_MS = 86_400_000;

/** When a version was made, in milliseconds since 1970. */
export type TimeOf = (version: bigint) => number;

/** A target as a night may choose it. */
export type RatedTarget = Candidate & Pick<TargetHistory, "account"> & { readonly rate: number };

/** What is asked of the night's targets besides their histories. */
export type RatingOptions = {
  readonly timeOf: TimeOf;
  readonly nowMs: number;
  readonly halfLifeMs: number;
  /** The oldest snapshot: what it does not cover came onto the list later. */
  readonly oldest: bigint | undefined;
  /** Modules of a page; default: what a node gives. */
  readonly pageSize?: number | undefined;
  readonly records?: PlanRecords | undefined;
};

/** An account's record, and what a node gives as a page of modules unless asked for less. Source: node contract, `api.max_account_modules_page_size`. */
const RECORD_REQUESTS = 1;
const NODE_PAGE = 9_999;
/** An account that had no module whenever it was looked at, for this long, is parked. */
const PARKED_AFTER_MS = 7 * DAY_MS;
/** Habits are learnt from about this many targets, taken from the whole list in equal steps. */
const SAMPLE = 10_000;
/** Rounds of expectation maximization: after these the shares move by less than they err. */
const ROUNDS = 30;
/** So many histories are kept with what was said of them. */
const RATINGS_KEPT = 10_000;
/** What one request brings at least. */
const LEAST_PRICE = 1e-4;

/** Accounts that held code from the oldest snapshot on, those that came later, and those that never held any: how many of each kind have which habit. */
const KINDS = ["first", "later", "without code"] as const;
type Kind = (typeof KINDS)[number];

/** What was seen of the accounts of one history. */
type Seen = { readonly target: TargetHistory; readonly at: number; readonly kind: Kind; accounts: number };

/** Says what reading each target is worth, by its own history and by what others of its kind do. */
export class TargetOutlooks {
  readonly #options: RatingOptions;
  readonly #model: ChangeModel;
  readonly #beliefs = new Float64Array(BELIEF_SIZE);
  readonly #ratings = new Map<string, Omit<RatedTarget, "account">>();
  #shares = new Map<Kind, Shares>();
  #price = LEAST_PRICE;
  /** What nights of this budget come to. */
  readonly night: NightOutlook;

  /** `sample` are histories of one in `everyNth` targets. */
  private constructor(options: RatingOptions, sample: readonly TargetHistory[], everyNth: number, budget: NightBudget) {
    this.#options = options;
    this.#model = new ChangeModel(options.halfLifeMs / DAY_MS);
    const groups = this.#learn(sample);
    // The price is that of the last account that a night reads for its worth: first by the index alone, then with what readings tell by that price.
    for (let round = 0; round < 2; round++) this.#price = this.#marginal(groups, budget.requests / everyNth);
    const rated = groups.map(({ target, accounts }) => {
      const { rate, requests } = this.#judge(target);
      return { rate, requests, accounts: accounts * everyNth };
    });
    this.night = outlookOf(rated, budget, Math.LN2 / (options.halfLifeMs / DAY_MS));
  }

  /** Learns from the targets of a list. */
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
    const { covered, hadModules } = target;
    const requests = this.#requestsOf(target);
    const shares = this.#shares.get(this.#kindOf(target)) as Shares;
    this.#believe(target, this.#beliefs, 0);
    const to = nowMs / DAY_MS;
    const from = covered === undefined ? to : Math.min(to, timeOf(covered.newest) / DAY_MS);
    const { worth, rate } = this.#model.outlook(this.#beliefs, 0, shares, from, to, this.#price * requests);
    const age = covered && to - from;
    return { age, requests, isParked: isParkedAfter(hadModules, exposureOf(target, timeOf)), worth, rate };
  }

  /** Learns the shares of habits of each kind, and gives the histories that differ. */
  #learn(sample: readonly TargetHistory[]): Seen[] {
    const groups = new Map<string, Seen>();
    for (const target of sample) {
      const key = this.#keyOf(target);
      const known = groups.get(key);
      if (known !== undefined) known.accounts += 1;
      else groups.set(key, { target, at: groups.size, kind: this.#kindOf(target), accounts: 1 });
    }
    const beliefs = new Float64Array(groups.size * BELIEF_SIZE);
    for (const { target, at } of groups.values()) this.#believe(target, beliefs, at * BELIEF_SIZE);
    let assumed = evenShares();
    for (const kind of KINDS) {
      const members = [...groups.values()].filter((group) => group.kind === kind && group.target.covered !== undefined);
      const places = members.map(({ at }) => at);
      const weights = members.map(({ accounts }) => accounts);
      let shares = assumed;
      for (let round = 0; round < ROUNDS; round++) shares = this.#model.learn(beliefs, places, places.length, shares, assumed, weights);
      this.#shares.set(kind, shares);
      // Who came later does as the others do, as long as nothing else is seen.
      if (kind === "first") assumed = shares;
    }
    return [...groups.values()];
  }

  /** What the last of the accounts is worth per request that a night of so many requests reads. */
  #marginal(groups: readonly Seen[], requests: number): number {
    const rated = groups.map(({ target, accounts }) => ({ ...this.#judge(target), accounts })).filter(({ age }) => age !== undefined);
    let left = requests;
    for (const { worth, requests: each, accounts } of rated.sort((a, b) => b.worth / b.requests - a.worth / a.requests)) {
      left -= each * accounts;
      if (left <= 0) return Math.max(LEAST_PRICE, worth / each);
    }
    return LEAST_PRICE;
  }

  /** What is to be believed of an account after all its readings. */
  #believe(target: TargetHistory, beliefs: Float64Array, at: number): void {
    this.#model.begin(beliefs, at);
    if (target.covered === undefined) return;
    const dayOf = (version: bigint): number => this.#options.timeOf(version) / DAY_MS;
    let day = dayOf(target.covered.first);
    for (const { after, atOrBefore } of this.#changesOf(target)) {
      const [from, to] = [Math.max(day, dayOf(after)), dayOf(atOrBefore)];
      if (from > day) this.#model.observe(beliefs, at, day, from, false);
      // Code and key may both have changed in one stretch.
      if (to < day) continue;
      this.#model.observe(beliefs, at, from, Math.max(from, to), true);
      day = Math.max(from, to);
    }
    const end = dayOf(target.covered.newest);
    if (end > day) this.#model.observe(beliefs, at, day, end, false);
  }

  /** A rotated key is a change as new code is, where the record is read. */
  #changesOf(target: TargetHistory): readonly ChangedBetween[] {
    const { codeChanges, keyRotations } = target;
    if (keyRotations.length === 0 || !this.#isRecordRead(target)) return codeChanges;
    return [...codeChanges, ...keyRotations].sort((a, b) => (a.atOrBefore < b.atOrBefore ? -1 : a.atOrBefore > b.atOrBefore ? 1 : 0));
  }

  /** Most targets of a long list did the same: nothing, since the same night. */
  #keyOf(target: TargetHistory): string {
    const { covered, hadModules } = target;
    let key = `${covered?.first} ${covered?.newest} ${hadModules} ${this.#requestsOf(target)}`;
    for (const { after, atOrBefore } of this.#changesOf(target)) key += ` ${after} ${atOrBefore}`;
    return key;
  }

  #kindOf({ hadModules, covered }: TargetHistory): Kind {
    if (!hadModules) return covered === undefined ? "later" : "without code";
    return covered?.first === this.#options.oldest ? "first" : "later";
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

/** Of which targets histories are asked: the accounts of a list, or the stored targets, and how many they are. */
export type TargetsOf = NonNullable<Parameters<Store["targetHistories"]>[0]> & { readonly count: number };

/** The rows of the accounts that are parked: a night that cannot read everybody looks at them last. */
export async function parkedTargets(store: Pick<Store, "targetHistories">, timeOf: TimeOf): Promise<NumberSet> {
  const parked = new NumberSet();
  for await (const page of store.targetHistories()) {
    for (const target of page) if (isParkedAfter(target.hadModules, exposureOf(target, timeOf))) parked.add(Number(target.account));
  }
  return parked;
}

function isParkedAfter(hadModules: boolean, exposureMs: number): boolean {
  return !hadModules && exposureMs >= PARKED_AFTER_MS;
}

/** Milliseconds between the first and the newest reading. */
function exposureOf({ covered }: TargetHistory, timeOf: TimeOf): number {
  return covered === undefined ? 0 : Math.max(0, timeOf(covered.newest) - timeOf(covered.first));
}
