import type { PlanRecords } from "../../archive/snapshots/plan.ts";
import type { Clock } from "../../base/time/clock.ts";
import type { Address } from "../../move/address.ts";
import type { LedgerNode } from "../../node/ledger-node.ts";
import type { LedgerHead } from "../../node/protocol/ledger-head.ts";
import type { Store } from "../../work/store.ts";
import { forecastNow } from "../horizon/horizon-forecast.ts";
import { type ChosenReads, chooseReads } from "./choose-reads.ts";
import { defaultMaxAgeMs } from "./max-age.ts";
import { type RunBudget, requestsLeft } from "./run-budget.ts";

type ChoosingWork = {
  readonly node: LedgerNode;
  readonly store: Store | undefined;
  readonly clock: Clock;
  readonly pageSize: number | undefined;
};

/** What a night is asked for, as far as it chooses. */
export type ChoosingRequest = {
  /** What the run may use, where it is limited: it then reads what is worth most of the stored targets. */
  readonly budget?: RunBudget;
  /** Every target is read at least once in this time, as far as the budget allows; default: three quarters of the node's window. */
  readonly maxAgeMs?: number;
  /** The delay at which a change is worth half as much as one that is known at once. */
  readonly halfLifeMs?: number | undefined;
  /** The accounts to choose among; undefined for the stored targets. */
  readonly scope: readonly Address[] | undefined;
};

/** Where the night reads: the node's newest version, the night's own version, which targets' records, and how long the run has taken. */
type Tonight = {
  readonly head: LedgerHead;
  readonly ledgerVersion: bigint;
  readonly records?: PlanRecords | undefined;
  readonly elapsedMs: number;
};

/** What a night reads of the stored targets where its budget is too small for all of them; undefined when it reads all. */
export async function chooseTargets(
  { node, store, clock, pageSize }: ChoosingWork,
  { budget, maxAgeMs, halfLifeMs, scope }: ChoosingRequest,
  { head, ledgerVersion, records, elapsedMs }: Tonight,
): Promise<ChosenReads | undefined> {
  if (budget === undefined || store === undefined) return undefined;
  if (scope === undefined && !(await store.hasTargets())) return undefined;
  const requests = requestsLeft(budget, { requests: node.stats().requests, elapsedMs });
  if (requests === Number.POSITIVE_INFINITY) return undefined;
  const now = clock.now();
  const oldest = maxAgeMs ?? defaultMaxAgeMs(await forecastNow(store, node.url, head, now), now);
  return chooseReads(store, { head, scope, ledgerVersion, records, requests, maxAgeMs: oldest, halfLifeMs, pageSize });
}
