import { compare } from "../../core/base/sorted.ts";
import { type Head, ledgerTimes } from "../../core/crawl/horizon/ledger-time.ts";
import type { TargetChooser } from "../../core/crawl/targets/choice.ts";
import { targetQueries } from "../../core/crawl/targets/targets.ts";
import type { PlanRecords } from "../../core/db/archive/snapshots/plan.ts";
import { readSealedVersions } from "../../core/db/archive/snapshots/snapshot-queries.ts";
import type { Engine, Integer } from "../../core/db/engine/engine.ts";
import type { Address } from "../../core/move/address.ts";
import { runQueries } from "../../core/work/runs/runs.ts";
import { forecastNow, type HorizonForecast, storedForecasts } from "../horizon/horizon-forecast.ts";
import { type Budget, choose, type History } from "./choose.ts";
import { addressesOf, changesIn, targetHistories } from "./target-histories.ts";

/** Where the night reads: the node's newest version, the night's own version, and which targets' records. */
type Tonight = { readonly head: Head; readonly ledgerVersion: bigint; readonly records: PlanRecords };

const DAY_MS = 86_400_000;
const HALF_LIFE_MS = 2 * DAY_MS;
/** The time between nights where nothing tells it, and at most: nights that were left out do not make the next ones a longer round. */
const NIGHTLY_MS = DAY_MS;
/** And at least. */
const SOONEST_MS = DAY_MS / 24;
/** The time between nights is the middle one of so many before. */
const NIGHTS_BEFORE = 7;
/** Modules of a page of a node. Source: node contract, `api.max_account_modules_page_size`. */
const NODE_PAGE = 9_999;
/** The share of the node's window in which every target is read. The rest of the window is for tracing changes. */
const WINDOW_SHARE = 0.75;
/** Where the window is not known yet. Public networks' windows are a week or longer. */
export const UNKNOWN_MAX_AGE_MS = 5 * DAY_MS;
/** Where nothing is pruned, or late. */
const LONGEST_MAX_AGE_MS = 30 * DAY_MS;

/** Chooses by how often accounts change, and within the greatest age. */
export const chooser: TargetChooser = {
  choose: async ({ engine, nodeUrl, nowMs, pageSize, scope, maxAgeMs, halfLifeMs }, tonight, requests) => {
    const oldestMs = maxAgeMs ?? defaultMaxAgeMs(await forecastNow(engine, nodeUrl, tonight.head, nowMs), nowMs);
    const histories = await readHistories(engine, tonight, scope, pageSize);
    const open = histories.filter(({ isRead }) => !isRead);
    if (open.reduce((sum, one) => sum + one.accounts.length * one.requests, 0) <= requests) return undefined;
    const { accounts: chosen, outlook } = choose(histories, await budgetOf(engine, tonight.head, requests, oldestMs, halfLifeMs));
    const all = histories.reduce((sum, { accounts }) => sum + accounts.length, 0);
    const accounts = scope === undefined ? await addressesOf(engine, chosen) : chosen.map((place) => scope[Number(place)] as Address);
    return { accounts, passedOver: all - accounts.length, outlook };
  },
  lastOutlook: async (engine, newest, { maxAgeMs, halfLifeMs }) => {
    const newestHead = await runQueries(engine).newestHead();
    if (newestHead === undefined || !(await targetQueries(engine).hasTargets())) return undefined;
    const head = { ledgerVersion: newestHead.headVersion, timestampUsec: newestHead.timestampUsec };
    const records = newest.unreadRecords < newest.accounts ? "all" : "none";
    const histories = await readHistories(engine, { head, ledgerVersion: newest.ledgerVersion, records });
    const [forecast] = await storedForecasts(engine, newestHead.seenAtMs);
    const oldestMs = maxAgeMs ?? (forecast === undefined ? UNKNOWN_MAX_AGE_MS : defaultMaxAgeMs(forecast, newestHead.seenAtMs));
    const requests = 2 * newest.accounts - newest.unreadRecords;
    return choose(histories, await budgetOf(engine, head, requests, oldestMs, halfLifeMs)).outlook;
  },
};

/** The age at which a target is read whatever its rate, unless one is asked for: so that a change that is seen late can still be traced. */
export function defaultMaxAgeMs(forecast: HorizonForecast, nowMs: number): number {
  const window = forecast.leftMs(forecast.latest.headVersion, nowMs)?.expected;
  return window === undefined ? UNKNOWN_MAX_AGE_MS : Math.min(LONGEST_MAX_AGE_MS, window * WINDOW_SHARE);
}

async function budgetOf(engine: Engine, head: Head, requests: number, maxAgeMs: number, halfLifeMs = HALF_LIFE_MS): Promise<Budget> {
  const timeOf = await ledgerTimes(engine, head);
  const times = (await readSealedVersions(engine)).slice(-NIGHTS_BEFORE - 1).map(timeOf);
  const apart = times.slice(1).map((time, place) => time - (times[place] as number));
  const usual = apart.sort((a, b) => a - b)[apart.length >> 1] ?? NIGHTLY_MS;
  const nightlyMs = Math.min(NIGHTLY_MS, Math.max(SOONEST_MS, usual));
  return {
    requests,
    now: timeOf(head.ledgerVersion) / DAY_MS,
    maxAge: maxAgeMs / DAY_MS,
    nightly: nightlyMs / DAY_MS,
    halfLife: halfLifeMs / DAY_MS,
  };
}

/** The histories of the targets, each with the accounts that have it: most accounts of a long list did the same. */
async function readHistories(
  engine: Engine,
  { head, ledgerVersion, records }: Tonight,
  scope?: readonly Address[],
  pageSize = NODE_PAGE,
): Promise<History<Integer>[]> {
  const timeOf = await ledgerTimes(engine, head);
  const dayOf = (version: bigint): number => timeOf(version) / DAY_MS;
  const [oldest] = await readSealedVersions(engine);
  const grouped = new Map<string, History<Integer> & { readonly accounts: Integer[] }>();
  for await (const { account, first, newest, modules, recordNewest, codeChanges, keyRotations } of targetHistories(engine, scope)) {
    // A visit reads the record too, as the plan decides it. A rotated key is a change as new code is, where the record is read.
    const hasRecord = typeof records === "string" ? records === "all" : recordNewest === undefined || recordNewest < records.unreadSince;
    const requests = Math.max(1, Math.ceil((modules ?? 0) / pageSize)) + (hasRecord ? 1 : 0);
    const changes = [...changesIn(codeChanges), ...(hasRecord ? changesIn(keyRotations) : [])]
      .sort((a, b) => compare(a.atOrBefore, b.atOrBefore))
      .map(({ after, atOrBefore }) => [dayOf(after), dayOf(atOrBefore)] as const);
    const key = [first, newest, requests, ...changes].join(" ");
    const alike = grouped.get(key);
    if (alike !== undefined) {
      alike.accounts.push(account);
      continue;
    }
    const isCovered = first !== null && newest !== null;
    const readings = isCovered ? { first: dayOf(first), newest: dayOf(newest), changes, isNewcomer: first !== oldest } : undefined;
    grouped.set(key, { accounts: [account], readings, requests, isRead: newest === ledgerVersion });
  }
  return [...grouped.values()];
}
