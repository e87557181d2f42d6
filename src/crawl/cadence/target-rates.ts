import type { Address } from "../../move/address.ts";
import type { PlanRecords } from "../../store/snapshots/plan.ts";
import type { Store } from "../../store/store.ts";
import type { ChangedBetween, TargetHistory } from "../../store/work/target-histories.ts";
import { changeRate, type Prior, priorOf, type Readings, rateToChooseBy } from "./change-rate.ts";
import type { Candidate } from "./night-order.ts";

/** The unit of rates and ages. */
export const DAY_MS = 86_400_000;

/** A target as a night may choose it, its rate and age in days. */
export type RatedTarget = Candidate & Pick<TargetHistory, "account"> & { readonly newest: bigint | undefined };

/** When a version was made, in milliseconds since 1970. */
export type TimeOf = (version: bigint) => number;

/** What the estimate is made from. */
type HistoryStore = Pick<Store, "targetHistories" | "targetCodeChanges" | "targetKeyRotations">;

/** An account's record, and what a node gives as a page of modules unless asked for less. Source: node contract, `api.max_account_modules_page_size`. */
const RECORD_REQUESTS = 1;
const NODE_PAGE = 9_999;

/** An account that had no module whenever it was looked at, for this long, is parked. */
const PARKED_AFTER_MS = 7 * DAY_MS;

/**
 * The rate at which each target changes and how long ago it was read. Changes of code and of keys are counted apart, and each is shrunk towards its
 * kind: accounts with code, accounts without. Asks three questions, however many targets there are.
 */
export async function rateTargets(
  store: HistoryStore,
  timeOf: TimeOf,
  nowMs: number,
  { pageSize = NODE_PAGE, records = "all" }: { readonly pageSize?: number | undefined; readonly records?: PlanRecords | undefined } = {},
): Promise<RatedTarget[]> {
  const [code, keys] = [await gapsByAccount(store.targetCodeChanges(), timeOf), await gapsByAccount(store.targetKeyRotations(), timeOf)];
  // One small object for each target, since there may be a million: what is only needed for its rate is not kept.
  const targets: (Omit<RatedTarget, "rate"> & {
    rate: number;
    readonly exposure: number;
    readonly hadModules: boolean;
    readonly readsRecord: boolean;
  })[] = [];
  const versions = new Map<bigint, bigint>();
  for await (const page of store.targetHistories()) {
    for (const target of page) {
      const { account, covered, modules, hadModules } = target;
      const newest = covered && (versions.get(covered.newest) ?? covered.newest);
      if (newest !== undefined) versions.set(newest, newest);
      const exposure = exposureOf(target, timeOf);
      const readsRecord = isRecordDue(target, records);
      targets.push({
        account,
        newest,
        exposure,
        hadModules,
        readsRecord,
        rate: 0,
        age: newest === undefined ? undefined : Math.max(0, nowMs - timeOf(newest)) / DAY_MS,
        isParked: isParkedAfter(hadModules, exposure),
        requests: (readsRecord ? RECORD_REQUESTS : 0) + Math.max(1, Math.ceil(modules / pageSize)),
      });
    }
  }
  const readingsOf = ({ account, exposure }: (typeof targets)[number], gaps: typeof code): Readings => ({
    exposure,
    changedGaps: gaps.get(account) ?? [],
  });
  const priorFor = (gaps: typeof code, isOfKind: (target: (typeof targets)[number]) => boolean): Prior =>
    priorOf(
      (function* () {
        for (const target of targets) if (isOfKind(target)) yield readingsOf(target, gaps);
      })(),
    );
  const [withCode, withoutCode] = [priorFor(code, ({ hadModules }) => hadModules), priorFor(code, ({ hadModules }) => !hadModules)];
  const anyKey = priorFor(keys, () => true);
  for (const target of targets) {
    const kind = target.hadModules ? withCode : withoutCode;
    // A rotation is seen only where the record is read.
    const rotations = target.readsRecord ? changeRate(readingsOf(target, keys), anyKey) : 0;
    target.rate = rateToChooseBy(readingsOf(target, code), kind) + rotations;
  }
  return targets;
}

/** Whether a visit of the target reads its record too; the plan decides it in the same way. */
function isRecordDue({ recordNewest }: TargetHistory, records: PlanRecords): boolean {
  return typeof records === "string" ? records === "all" : recordNewest === undefined || recordNewest < records.unreadSince;
}

/** The targets that are parked: a night that cannot read everybody looks at them last. */
export async function parkedTargets(store: Pick<Store, "targetHistories" | "addressesOf">, timeOf: TimeOf): Promise<Set<Address>> {
  const parked: TargetHistory["account"][] = [];
  for await (const page of store.targetHistories()) {
    for (const target of page) if (isParkedAfter(target.hadModules, exposureOf(target, timeOf))) parked.push(target.account);
  }
  return new Set(await store.addressesOf(parked));
}

function isParkedAfter(hadModules: boolean, exposureDays: number): boolean {
  return !hadModules && exposureDays * DAY_MS >= PARKED_AFTER_MS;
}

/** Days between the first and the newest reading. */
function exposureOf({ covered }: TargetHistory, timeOf: TimeOf): number {
  return covered === undefined ? 0 : Math.max(0, timeOf(covered.newest) - timeOf(covered.first)) / DAY_MS;
}

/** For each account that changed, the days between the readings on both sides of each change. */
async function gapsByAccount(
  changes: AsyncIterable<readonly ChangedBetween[]>,
  timeOf: TimeOf,
): Promise<Map<TargetHistory["account"], number[]>> {
  const gaps = new Map<TargetHistory["account"], number[]>();
  for await (const page of changes) {
    for (const { account, after, atOrBefore } of page) {
      const gap = Math.max(0, timeOf(atOrBefore) - timeOf(after)) / DAY_MS;
      const known = gaps.get(account);
      if (known === undefined) gaps.set(account, [gap]);
      else known.push(gap);
    }
  }
  return gaps;
}
