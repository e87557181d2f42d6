import type { PlanRecords } from "../../archive/snapshots/plan.ts";
import { NumberSet } from "../../base/number-set.ts";
import type { Store } from "../../work/store.ts";
import type { ChangedBetween, TargetHistory } from "../../work/targets/target-histories.ts";
import { expectedRate, rateToChooseBy, thresholdOf } from "./change-rate.ts";
import type { Candidate } from "./night-order.ts";
import { addReadings, type Likelihood, noReadings } from "./rate-likelihood.ts";
import { learnPrior, posterior, type RatePrior } from "./rate-prior.ts";

/** The unit of rates and ages. */
export const DAY_MS = 86_400_000;

/** When a version was made, in milliseconds since 1970. */
export type TimeOf = (version: bigint) => number;

/** A target as a night may choose it: `rate` is the one to choose by, `expected` the changes a day to expect. Rates and ages in days. */
export type RatedTarget = Candidate & Pick<TargetHistory, "account"> & { readonly expected: number };

/** What is asked of the night's targets besides their histories. */
export type RatingOptions = {
  readonly timeOf: TimeOf;
  readonly nowMs: number;
  /** Modules of a page; default: what a node gives. */
  readonly pageSize?: number | undefined;
  readonly records?: PlanRecords | undefined;
};

/** An account's record, and what a node gives as a page of modules unless asked for less. Source: node contract, `api.max_account_modules_page_size`. */
const RECORD_REQUESTS = 1;
const NODE_PAGE = 9_999;

/** An account that had no module whenever it was looked at, for this long, is parked. */
const PARKED_AFTER_MS = 7 * DAY_MS;

/** Rates are learnt from about this many targets, taken from the whole list in equal steps. */
const SAMPLE = 10_000;

/** What is said of targets with one history. */
type Rating = Omit<RatedTarget, "account">;
/** So many histories are kept with what was said of them. */
const RATINGS_KEPT = 10_000;

/** How many of each kind change how often: accounts that ever held code, those that never did, and keys of all. */
type Priors = { readonly withCode: RatePrior; readonly withoutCode: RatePrior; readonly keys: RatePrior };

/** Rates targets by their own readings and by what their kind does, learnt from a sample of the list. */
export class TargetRates {
  readonly #options: RatingOptions;
  readonly #priors: Priors;
  readonly #ratings = new Map<string, Rating>();
  #threshold = Number.POSITIVE_INFINITY;

  private constructor(options: RatingOptions, priors: Priors) {
    this.#options = options;
    this.#priors = priors;
  }

  /** Learns from the stored targets; `spare` are the requests of a night that its rounds leave to be spent where they bring in most. */
  static async learn(
    store: Pick<Store, "targetHistories" | "countTargets">,
    options: RatingOptions,
    spare: (costOfAll: number) => number,
  ): Promise<TargetRates> {
    const everyNth = Math.max(1, Math.ceil((await store.countTargets()) / SAMPLE));
    const sample: TargetHistory[] = [];
    for await (const page of store.targetHistories({ everyNth })) sample.push(...page);
    const likelihoods = (of: readonly TargetHistory[], changes: (target: TargetHistory) => readonly ChangedBetween[]): Likelihood[] =>
      of.filter((target) => exposureOf(target, options.timeOf) > 0).map((target) => likelihoodOf(target, changes(target), options.timeOf));
    const rates = new TargetRates(options, {
      withCode: learnPrior(
        likelihoods(
          sample.filter(({ hadModules }) => hadModules),
          codeOf,
        ),
      ),
      withoutCode: learnPrior(
        likelihoods(
          sample.filter(({ hadModules }) => !hadModules),
          codeOf,
        ),
      ),
      keys: learnPrior(likelihoods(sample, keysOf)),
    });
    const rated = sample.map((target) => rates.rate(target));
    const cost = rated.reduce((sum, { requests }) => sum + requests, 0);
    rates.#ratings.clear();
    rates.#threshold = thresholdOf(rated, spare(cost * everyNth) / everyNth);
    return rates;
  }

  rate(target: TargetHistory): RatedTarget {
    const { pageSize = NODE_PAGE, records = "all" } = this.#options;
    const readsRecord = isRecordDue(target, records);
    const pages = Math.max(1, Math.ceil(target.modules / pageSize));
    // Most targets of a long list did the same: nothing, since the same night.
    const { covered, hadModules, codeChanges, keyRotations } = target;
    const key = `${covered?.first} ${covered?.newest} ${hadModules} ${pages} ${readsRecord}${wordsOf(codeChanges)}/${wordsOf(keyRotations)}`;
    let rating = this.#ratings.get(key);
    if (rating === undefined) {
      rating = this.#judge(target, readsRecord, (readsRecord ? RECORD_REQUESTS : 0) + pages);
      if (this.#ratings.size >= RATINGS_KEPT) this.#ratings.clear();
      this.#ratings.set(key, rating);
    }
    return { account: target.account, ...rating };
  }

  #judge(target: TargetHistory, readsRecord: boolean, requests: number): Rating {
    const { timeOf, nowMs } = this.#options;
    const { covered, hadModules } = target;
    const age = covered && Math.max(0, nowMs - timeOf(covered.newest)) / DAY_MS;
    const code = posterior(likelihoodOf(target, target.codeChanges, timeOf), hadModules ? this.#priors.withCode : this.#priors.withoutCode);
    // A rotation is seen only where the record is read.
    const rotations = readsRecord ? expectedRate(posterior(likelihoodOf(target, target.keyRotations, timeOf), this.#priors.keys)) : 0;
    return {
      age,
      requests,
      isParked: isParkedAfter(hadModules, exposureOf(target, timeOf)),
      expected: expectedRate(code) + rotations,
      rate: rateToChooseBy(code, age ?? 0, Math.max(0, this.#threshold * requests - rotations)) + rotations,
    };
  }
}

const wordsOf = (changes: readonly ChangedBetween[]): string => {
  let words = "";
  for (const { after, atOrBefore } of changes) words += ` ${after} ${atOrBefore}`;
  return words;
};
const codeOf = ({ codeChanges }: TargetHistory): readonly ChangedBetween[] => codeChanges;
const keysOf = ({ keyRotations }: TargetHistory): readonly ChangedBetween[] => keyRotations;

/** Whether a visit of the target reads its record too; the plan decides it in the same way. */
function isRecordDue({ recordNewest }: TargetHistory, records: PlanRecords): boolean {
  return typeof records === "string" ? records === "all" : recordNewest === undefined || recordNewest < records.unreadSince;
}

function likelihoodOf(target: TargetHistory, changes: readonly ChangedBetween[], timeOf: TimeOf): Likelihood {
  const likelihood = noReadings();
  let quiet = exposureOf(target, timeOf);
  for (const { after, atOrBefore } of changes) {
    const gap = Math.max(0, timeOf(atOrBefore) - timeOf(after)) / DAY_MS;
    quiet -= gap;
    addReadings(likelihood, gap, true);
  }
  addReadings(likelihood, Math.max(0, quiet), false);
  return likelihood;
}

/** The rows of the accounts that are parked: a night that cannot read everybody looks at them last. */
export async function parkedTargets(store: Pick<Store, "targetHistories">, timeOf: TimeOf): Promise<NumberSet> {
  const parked = new NumberSet();
  for await (const page of store.targetHistories()) {
    for (const target of page) if (isParkedAfter(target.hadModules, exposureOf(target, timeOf))) parked.add(Number(target.account));
  }
  return parked;
}

function isParkedAfter(hadModules: boolean, exposureDays: number): boolean {
  return !hadModules && exposureDays * DAY_MS >= PARKED_AFTER_MS;
}

/** Days between the first and the newest reading. */
function exposureOf({ covered }: TargetHistory, timeOf: TimeOf): number {
  return covered === undefined ? 0 : Math.max(0, timeOf(covered.newest) - timeOf(covered.first)) / DAY_MS;
}
