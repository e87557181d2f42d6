import type { Address } from "../../move/address.ts";
import type { LedgerHead } from "../../node/answers/ledger-head.ts";
import type { PlanRecords } from "../../store/snapshots/plan.ts";
import type { Store } from "../../store/store.ts";
import { LedgerTime } from "../horizon/ledger-time.ts";
import { planReads } from "./night-order.ts";
import { DAY_MS, type RatedTarget, rateTargets, type TimeOf } from "./target-rates.ts";

/** What a night reads of its targets, and what it leaves to others. */
export type ChosenReads = {
  readonly accounts: readonly Address[];
  readonly passedOver: number;
  /** Of the changes of a day, the share that nights like this one are expected to know within a day; undefined where none are expected. */
  readonly knownWithinDay: number | undefined;
};

/** What is chosen for. Ages in milliseconds. */
export type ChoiceRequest = {
  readonly head: Pick<LedgerHead, "ledgerVersion" | "timestampUsec">;
  /** Targets that this version's snapshot covers are not read again. */
  readonly ledgerVersion: bigint;
  /** Of which targets the record is read as well; undefined for all. */
  readonly records?: PlanRecords | undefined;
  /** Requests that the reading may use. */
  readonly requests: number;
  readonly maxAgeMs: number;
  readonly pageSize: number | undefined;
};

/** What choosing asks of the store. */
export type ChoosingStore = Pick<
  Store,
  "timeMarks" | "targetHistories" | "targetCodeChanges" | "targetKeyRotations" | "addressesOf" | "sealedVersions"
>;

/** The time between nights where there was none before, and at most: a night that was left out does not make the next one a longer round. */
const NIGHTLY_MS = DAY_MS;

/** Chooses among the stored targets what a night with this many requests reads; undefined when it can read all of them. */
export async function chooseReads(store: ChoosingStore, request: ChoiceRequest): Promise<ChosenReads | undefined> {
  const { head, ledgerVersion, records, requests, maxAgeMs, pageSize } = request;
  const timeOf = await ledgerTimes(store, head);
  const nowMs = timeOf(head.ledgerVersion);
  const targets = await rateTargets(store, timeOf, nowMs, { pageSize, records });
  const open = targets.filter(({ newest }) => newest !== ledgerVersion);
  if (open.reduce((sum, target) => sum + target.requests, 0) <= requests) return undefined;
  const newest = (await store.sealedVersions()).at(-1);
  const sinceMs = newest === undefined ? NIGHTLY_MS : Math.max(0, nowMs - timeOf(newest));
  const budget = { requests, maxAge: maxAgeMs / DAY_MS, nightly: Math.min(sinceMs, NIGHTLY_MS) / DAY_MS, within: 1 };
  const planned = planReads(open, budget);
  // A budget that ends before the first account: one is planned, and the next run reads it.
  const chosen = planned.length > 0 ? planned : open.slice(0, 1);
  const accounts = await store.addressesOf(chosen.map(({ account }) => account));
  return { accounts, passedOver: targets.length - accounts.length, knownWithinDay: shareOf(chosen, targets) };
}

/** When versions were made, from all that nodes told of their heads; each version is looked up once. */
export async function ledgerTimes(
  store: Pick<Store, "timeMarks">,
  head: Pick<LedgerHead, "ledgerVersion" | "timestampUsec">,
): Promise<TimeOf> {
  const time = LedgerTime.from([...(await store.timeMarks()), { version: head.ledgerVersion, timestampUsec: head.timestampUsec }]);
  const known = new Map<bigint, number>();
  return (version) => {
    // Without two heads that are apart nothing tells the ages of versions: they are taken to be of one moment.
    const ms = known.get(version) ?? time?.timeAt(version) ?? Number(head.timestampUsec / 1000n);
    known.set(version, ms);
    return ms;
  };
}

/** The share of the changes of all that are changes of those chosen. */
function shareOf(chosen: readonly RatedTarget[], all: readonly RatedTarget[]): number | undefined {
  const rateOf = (targets: readonly RatedTarget[]): number => targets.reduce((sum, { rate }) => sum + rate, 0);
  const total = rateOf(all);
  return total > 0 ? rateOf(chosen) / total : undefined;
}
