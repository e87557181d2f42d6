import type { SnapshotCounts } from "../../db/archive/read/status-queries.ts";
import type { PlanRecords } from "../../db/archive/snapshots/plan.ts";
import type { Engine } from "../../db/engine/engine.ts";
import type { Address } from "../../move/address.ts";
import type { LedgerHead } from "../../node/protocol/ledger-head.ts";
import type { RunWork } from "../run/run-work.ts";
import { targetQueries } from "./targets.ts";

/** How old a reading may get, where a night says so. */
export type Ages = {
  /** Every target is read at least once in this time, as far as the budget allows. */
  readonly maxAgeMs?: number | undefined;
};

/** What a night under a budget is asked for. */
export type ChoosingRequest = Ages & {
  /** The accounts to choose among; undefined for the stored targets. */
  readonly scope?: readonly Address[] | undefined;
  /** What the run may use, where it is limited. */
  readonly budget?: RunBudget;
  readonly chooser?: LoadChooser | undefined;
};

/** Requests, and time at a pace (requests a second, 0 for none), as far as a run is limited in them. */
export type RunBudget = {
  readonly maxRequests: number | undefined;
  readonly maxDurationMs: number | undefined;
  readonly perSecond: number;
};

/** Where the night reads: the node's newest version, the night's own version, and which targets' records. */
export type PinnedRun = { readonly head: LedgerHead; readonly ledgerVersion: bigint; readonly records: PlanRecords };

/** What a night reads of its targets (undefined: all that it was asked for), what it leaves to others, and what nights like it come to. */
export type ChosenTargets = {
  readonly accounts: readonly Address[] | undefined;
  readonly passedOver: number;
  readonly outlook?: ChoiceOutlook;
};

/** What nights like one under a budget come to. Shares from 0 to 1; undefined where no change is expected. */
export type ChoiceOutlook = {
  /** The mean of 2^(−delay / half-life) over the changes to come: 1 where each is known at once. */
  readonly usefulness: number | undefined;
  readonly ofRoundRobin: number | undefined;
  readonly knownWithinDay: number | undefined;
  /** The age that no reading passes, as far as nights like this one come; infinite where the budget is nothing. */
  readonly ageMs: number;
  readonly wantedAgeMs: number;
  readonly isAgeKept: boolean;
  readonly requestsForAge: number;
};

/** What a capability brings that chooses better than by age alone. */
export type TargetChooser = {
  /** What a night reads with so many requests; undefined when they suffice for all. */
  choose(asked: Asked, tonight: PinnedRun, requests: number): Promise<ChosenTargets | undefined>;
  /** What nights come to that read as much as the newest snapshot did. */
  lastOutlook(engine: Engine, newest: Newest, ages: Ages): Promise<ChoiceOutlook | undefined>;
};

export type LoadChooser = () => Promise<TargetChooser>;

type Newest = Pick<SnapshotCounts, "ledgerVersion" | "passedOver" | "accounts" | "unreadRecords">;

type ChoosingWork = Pick<RunWork, "node" | "clock" | "pageSize"> & { readonly engine: Engine | undefined };

type Asked = ChoosingRequest & Pick<RunWork, "pageSize"> & { readonly engine: Engine; readonly nodeUrl: string; readonly nowMs: number };

/** This share of the requests is left for those that have to be sent again. */
const RESERVED = 0.02;

/**
 * What a night reads of its targets where its budget is too small for all of them; undefined when it reads all. Without a chooser it plans
 * all, in the order of every plan, and leaves what its budget does not come to.
 */
export async function chooseTargets(
  { node, engine, clock, pageSize }: ChoosingWork,
  request: ChoosingRequest,
  { elapsedMs, ...tonight }: PinnedRun & { readonly elapsedMs: number },
): Promise<ChosenTargets | undefined> {
  const { budget, scope, chooser } = request;
  if (budget === undefined || engine === undefined) return undefined;
  if (scope === undefined && !(await targetQueries(engine).hasTargets())) return undefined;
  const requests = requestsLeft(budget, node.stats().requests, elapsedMs);
  if (requests === Number.POSITIVE_INFINITY) return undefined;
  if (chooser === undefined) {
    const all = scope?.length ?? (await targetQueries(engine).countTargets());
    return all * (tonight.records === "none" ? 1 : 2) <= requests ? undefined : { accounts: scope, passedOver: 0 };
  }
  const { choose } = await chooser();
  return await choose({ ...request, engine, pageSize, nodeUrl: node.url, nowMs: clock.now() }, tonight, requests);
}

/** What nights come to that read as much as the newest snapshot did; undefined where that left nothing out, or nothing tells. */
export async function lastOutlook(load: LoadChooser | undefined, engine: Engine, newest: Newest | undefined, ages: Ages) {
  return newest?.passedOver ? (await load?.())?.lastOutlook(engine, newest, ages) : undefined;
}

/** How many requests a run may plan for; infinite where nothing limits it, or where no pace tells how many fit a time. */
function requestsLeft({ maxRequests, maxDurationMs, perSecond }: RunBudget, sent: number, elapsedMs: number): number {
  const byCount = maxRequests === undefined ? Number.POSITIVE_INFINITY : maxRequests - sent;
  const byTime =
    maxDurationMs === undefined || perSecond <= 0 ? Number.POSITIVE_INFINITY : ((maxDurationMs - elapsedMs) * perSecond) / 1000;
  return Math.floor(Math.max(0, Math.floor(Math.min(byCount, byTime))) * (1 - RESERVED));
}
