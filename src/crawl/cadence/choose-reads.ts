import { readSealedVersions } from "../../archive/snapshots/pins.ts";
import type { PlanRecords } from "../../archive/snapshots/plan.ts";
import type { Engine } from "../../engine/engine.ts";
import type { Address } from "../../move/address.ts";
import type { LedgerHead } from "../../node/protocol/ledger-head.ts";
import { type TargetHistoryQueries, targetHistoryQueries } from "../../work/targets/target-histories.ts";
import { targetQueries } from "../../work/targets/targets.ts";
import { forecastNow } from "../horizon/horizon-forecast.ts";
import { LedgerTime } from "../horizon/ledger-time.ts";
import type { RunWork } from "../run/run-work.ts";
import { defaultMaxAgeMs } from "./max-age.ts";
import { openChoice } from "./night-choice.ts";
import type { NightOutlook } from "./night-outlook.ts";
import { type RunBudget, requestsLeft } from "./run-budget.ts";
import { DAY_MS, type TimeOf } from "./target-beliefs.ts";
import { learnOutlooks, type RatedTarget, type RatingOptions, type TargetsOf } from "./target-outlooks.ts";

/** What a night reads of its targets, what it leaves to others, and what nights like it come to. */
export type ChosenReads = {
  readonly accounts: readonly Address[];
  readonly passedOver: number;
  readonly outlook: NightOutlook;
};

export type ChoiceRequest = {
  readonly head: Pick<LedgerHead, "ledgerVersion" | "timestampUsec">;
  /** The accounts to choose among; undefined for the stored targets. */
  readonly scope?: readonly Address[] | undefined;
  /** Targets that this version's snapshot covers are not read again. */
  readonly ledgerVersion: bigint;
  /** Of which targets the record is read as well; undefined for all. */
  readonly records?: PlanRecords | undefined;
  readonly requests: number;
  readonly maxAgeMs: number;
  /** The delay at which a change is worth half as much as one that is known at once; default two days. */
  readonly halfLifeMs?: number | undefined;
  readonly pageSize: number | undefined;
};

/** A change that is known after two days is worth half as much as one that is known at once. */
const HALF_LIFE_MS = 2 * DAY_MS;
/** The time between nights where nothing tells it, and at most: nights that were left out do not make the next ones a longer round. */
const NIGHTLY_MS = DAY_MS;
/** And at least. */
const SOONEST_MS = DAY_MS / 24;
/** The time between nights is the middle one of so many before. */
const NIGHTS_BEFORE = 7;

/** Chooses the targets that a night reads with so many requests; undefined if it can read all. Memory grows with the requests. */
export async function chooseReads(known: KnownTargets, request: ChoiceRequest): Promise<ChosenReads | undefined> {
  const { ledgerVersion, requests, scope } = request;
  const { of, budget, outlooks } = await learnTargets(known, request);
  const choice = openChoice<RatedTarget>(budget);
  const all = { openCost: 0, firstOpen: undefined as RatedTarget | undefined };
  for await (const page of known.histories.targetHistories(of)) {
    for (const history of page) {
      if (history.covered?.newest === ledgerVersion) continue;
      const target = outlooks.rate(history);
      all.openCost += target.requests;
      all.firstOpen ??= target;
      choice.offer(target);
    }
  }
  if (all.openCost <= requests) return undefined;
  const planned = choice.chosen();
  // A budget that ends before the first account: one is planned, and the next run reads it.
  const chosen = (planned.length > 0 ? planned : [all.firstOpen as RatedTarget]).map(({ account }) => account);
  const accounts = scope === undefined ? await known.histories.addressesOf(chosen) : chosen.map((place) => scope[Number(place)] as Address);
  return { accounts, passedOver: of.count - accounts.length, outlook: outlooks.night };
}

type Head = Pick<LedgerHead, "ledgerVersion" | "timestampUsec">;

/** What an archive holds of its targets: their histories, how many they are, the sealed versions, and when versions were made. */
export type KnownTargets = {
  readonly histories: Pick<TargetHistoryQueries, "targetHistories" | "addressesOf">;
  readonly count: number;
  readonly sealed: readonly bigint[];
  readonly timeOf: TimeOf;
};

export async function readKnown(engine: Engine, head: Head): Promise<KnownTargets> {
  return {
    histories: targetHistoryQueries(engine),
    count: await targetQueries(engine).countTargets(),
    sealed: await readSealedVersions(engine),
    timeOf: await ledgerTimes(engine, head),
  };
}

type ChoosingWork = Pick<RunWork, "node" | "clock" | "pageSize"> & { readonly engine: Engine | undefined };

/** What a night is asked for, as far as it chooses. */
export type ChoosingRequest = Pick<ChoiceRequest, "scope" | "halfLifeMs"> & {
  /** What the run may use, where it is limited: it then reads what is worth most of the stored targets. */
  readonly budget?: RunBudget;
  /** Every target is read at least once in this time, as far as the budget allows; default: three quarters of the node's window. */
  readonly maxAgeMs?: number;
};

/** Where the night reads: the node's newest version, the night's own version, which targets' records, and how long the run has taken. */
type Tonight = Pick<ChoiceRequest, "ledgerVersion" | "records"> & { readonly head: LedgerHead; readonly elapsedMs: number };

/** What a night reads of the stored targets where its budget is too small for all of them; undefined when it reads all. */
export async function chooseTargets(
  { node, engine, clock, pageSize }: ChoosingWork,
  { budget, maxAgeMs, halfLifeMs, scope }: ChoosingRequest,
  { head, ledgerVersion, records, elapsedMs }: Tonight,
): Promise<ChosenReads | undefined> {
  if (budget === undefined || engine === undefined) return undefined;
  if (scope === undefined && !(await targetQueries(engine).hasTargets())) return undefined;
  const requests = requestsLeft(budget, { requests: node.stats().requests, elapsedMs });
  if (requests === Number.POSITIVE_INFINITY) return undefined;
  const now = clock.now();
  const oldest = maxAgeMs ?? defaultMaxAgeMs(await forecastNow(engine, node.url, head, now), now);
  return chooseReads(await readKnown(engine, head), {
    head,
    scope,
    ledgerVersion,
    records,
    requests,
    maxAgeMs: oldest,
    halfLifeMs,
    pageSize,
  });
}

/** What nights of a budget come to, judged by a sample of the targets. */
export async function nightOutlook(engine: Engine, request: ChoiceRequest): Promise<NightOutlook> {
  return (await learnTargets(await readKnown(engine, request.head), request)).outlooks.night;
}

async function learnTargets({ histories, count, sealed, timeOf }: KnownTargets, request: ChoiceRequest) {
  const { head, records, requests, maxAgeMs, pageSize, scope, halfLifeMs = HALF_LIFE_MS } = request;
  const nowMs = timeOf(head.ledgerVersion);
  const budget = { requests, maxAge: maxAgeMs / DAY_MS, nightly: nightlyMs(sealed, timeOf) / DAY_MS };
  const of: TargetsOf = scope === undefined ? { count } : { accounts: scope, count: scope.length };
  const options: RatingOptions = { timeOf, nowMs, halfLifeMs, sealed, pageSize, records };
  return { of, budget, outlooks: await learnOutlooks(histories, of, options, budget) };
}

function nightlyMs(sealed: readonly bigint[], timeOf: TimeOf): number {
  const times = sealed.slice(-NIGHTS_BEFORE - 1).map(timeOf);
  const apart = times.slice(1).map((time, place) => time - (times[place] as number));
  const usual = apart.sort((a, b) => a - b)[apart.length >> 1] ?? NIGHTLY_MS;
  return Math.min(NIGHTLY_MS, Math.max(SOONEST_MS, usual));
}

/** When versions were made, from all that nodes told of their heads; each version is looked up once. */
export async function ledgerTimes(engine: Engine, head: Head): Promise<TimeOf> {
  return timesFrom(await LedgerTime.read(engine, head), head);
}

export function timesFrom(time: LedgerTime | undefined, head: Head): TimeOf {
  const known = new Map<bigint, number>();
  return (version) => {
    // Without two heads that are apart nothing tells the ages of versions: they are taken to be of one moment.
    const ms = known.get(version) ?? time?.timeAt(version) ?? Number(head.timestampUsec / 1000n);
    known.set(version, ms);
    return ms;
  };
}
