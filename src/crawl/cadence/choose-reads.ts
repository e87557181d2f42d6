import type { PlanRecords } from "../../archive/snapshots/plan.ts";
import type { Address } from "../../move/address.ts";
import type { LedgerHead } from "../../node/protocol/ledger-head.ts";
import type { Store } from "../../work/store.ts";
import { LedgerTime } from "../horizon/ledger-time.ts";
import { NightChoice, roundCost } from "./night-order.ts";
import { DAY_MS, type RatedTarget, TargetRates, type TimeOf } from "./target-rates.ts";

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
export type ChoosingStore = Pick<Store, "timeMarks" | "targetHistories" | "countTargets" | "addressesOf" | "sealedVersions">;

/** The time between nights where there was none before, and at most: a night that was left out does not make the next one a longer round. */
const NIGHTLY_MS = DAY_MS;

/**
 * Chooses among the stored targets what a night with this many requests reads; undefined when it can read all of them. Targets are read one page after
 * the other, and memory grows with the requests.
 */
export async function chooseReads(store: ChoosingStore, request: ChoiceRequest): Promise<ChosenReads | undefined> {
  const { head, ledgerVersion, records, requests, maxAgeMs, pageSize } = request;
  const timeOf = await ledgerTimes(store, head);
  const nowMs = timeOf(head.ledgerVersion);
  const newest = (await store.sealedVersions()).at(-1);
  const sinceMs = newest === undefined ? NIGHTLY_MS : Math.max(0, nowMs - timeOf(newest));
  const budget = { requests, maxAge: maxAgeMs / DAY_MS, nightly: Math.min(sinceMs, NIGHTLY_MS) / DAY_MS, within: 1 };
  const spare = (costOfAll: number): number => requests - roundCost(costOfAll, budget);
  const rates = await TargetRates.learn(store, { timeOf, nowMs, pageSize, records }, spare);
  const choice = new NightChoice<RatedTarget>(budget);
  const all = { targets: 0, expected: 0, openCost: 0, firstOpen: undefined as RatedTarget | undefined };
  for await (const page of store.targetHistories()) {
    for (const history of page) {
      const target = rates.rate(history);
      all.targets += 1;
      all.expected += target.expected;
      if (history.covered?.newest === ledgerVersion) continue;
      all.openCost += target.requests;
      all.firstOpen ??= target;
      choice.offer(target);
    }
  }
  if (all.openCost <= requests) return undefined;
  const planned = choice.chosen();
  // A budget that ends before the first account: one is planned, and the next run reads it.
  const chosen = planned.length > 0 ? planned : [all.firstOpen as RatedTarget];
  const accounts = await store.addressesOf(chosen.map(({ account }) => account));
  const known = chosen.reduce((sum, { expected }) => sum + expected, 0);
  return { accounts, passedOver: all.targets - accounts.length, knownWithinDay: all.expected > 0 ? known / all.expected : undefined };
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
