import { compare } from "../../core/base/lists.ts";
import { DAY_MS } from "../../core/base/time.ts";
import { ledgerTimes } from "../../core/crawl/horizon/ledger-time.ts";
import type { PinnedRun, TargetChooser } from "../../core/crawl/targets/choice.ts";
import { targetQueries } from "../../core/crawl/targets/targets.ts";
import { readSealedVersions } from "../../core/db/archive/snapshots/snapshot-queries.ts";
import type { ChangeBounds } from "../../core/db/archive/times/ledger-times.ts";
import type { Engine, Integer } from "../../core/db/engine/engine.ts";
import { orNull, orUndefined, rowOf, text, textsOf, version, whole } from "../../core/db/engine/row-shape.ts";
import { jsonEach } from "../../core/db/schema/sql/functions.ts";
import { coverage, failedVisits, newestOf, recordCoverage } from "../../core/db/schema/sql/predicates.ts";
import { type Sql, sql } from "../../core/db/schema/sql/sql.ts";
import type { Address } from "../../core/move/address.ts";
import type { Head } from "../../core/node/protocol/ledger-head.ts";
import { runQueries } from "../../core/work/runs/runs.ts";
import { forecastNow, type HorizonForecast, storedForecasts } from "../horizon/horizon-forecast.ts";
import { choose, type History } from "./choose.ts";
import type { Budget } from "./outlook.ts";

/** The delay, in days, at which a change is worth half as much as one that is known at once. */
const HALF_LIFE = 2;
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
  choose: async ({ engine, nodeUrl, nowMs, pageSize, scope, maxAgeMs }, tonight, requests) => {
    const oldestMs = maxAgeMs ?? defaultMaxAgeMs(await forecastNow(engine, nodeUrl, tonight.head, nowMs), nowMs);
    const histories = await readHistories(engine, tonight, scope, pageSize);
    const open = histories.filter(({ isRead }) => !isRead);
    if (open.reduce((sum, one) => sum + one.accounts.length * one.requests, 0) <= requests) return undefined;
    const { accounts: chosen, outlook } = choose(histories, await budgetOf(engine, tonight.head, requests, oldestMs));
    const all = histories.reduce((sum, { accounts }) => sum + accounts.length, 0);
    const accounts = scope === undefined ? await addressesOf(engine, chosen) : chosen.map((place) => scope[Number(place)] as Address);
    return { accounts, passedOver: all - accounts.length, outlook };
  },
  lastOutlook: async (engine, newest, { maxAgeMs }) => {
    const head = await runQueries(engine).newestHead();
    if (head === undefined || !(await targetQueries(engine).hasTargets())) return undefined;
    const records = newest.unreadRecords < newest.accounts ? "all" : "none";
    const histories = await readHistories(engine, { head, ledgerVersion: newest.ledgerVersion, records });
    const [forecast] = await storedForecasts(engine, head.seenAtMs);
    const oldestMs = maxAgeMs ?? (forecast === undefined ? UNKNOWN_MAX_AGE_MS : defaultMaxAgeMs(forecast, head.seenAtMs));
    const requests = 2 * newest.accounts - newest.unreadRecords;
    return choose(histories, await budgetOf(engine, head, requests, oldestMs)).outlook;
  },
};

/** The age at which a target is read whatever its rate, unless one is asked for: so that a change that is seen late can still be traced. */
export function defaultMaxAgeMs(forecast: HorizonForecast, nowMs: number): number {
  const window = forecast.leftMs(forecast.latest.headVersion, nowMs)?.expected;
  return window === undefined ? UNKNOWN_MAX_AGE_MS : Math.min(LONGEST_MAX_AGE_MS, window * WINDOW_SHARE);
}

async function budgetOf(engine: Engine, head: Head, requests: number, maxAgeMs: number): Promise<Budget> {
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
    halfLife: HALF_LIFE,
  };
}

/** The histories of the targets, each with the accounts that have it: most accounts of a long list did the same. */
async function readHistories(
  engine: Engine,
  { head, ledgerVersion, records }: Omit<PinnedRun, "head"> & { readonly head: Head },
  scope?: readonly Address[],
  pageSize = NODE_PAGE,
): Promise<History<Integer>[]> {
  const timeOf = await ledgerTimes(engine, head);
  const dayOf = (version: bigint): number => timeOf(version) / DAY_MS;
  const [oldest] = await readSealedVersions(engine);
  const grouped = new Map<string, History<Integer> & { readonly accounts: Integer[] }>();
  for await (const { account, first, newest, failed, modules, recordNewest, codeChanges, keyRotations } of targetHistories(engine, scope)) {
    // A visit reads the record too, as the plan decides it. A rotated key is a change as new code is, where the record is read.
    const hasRecord = typeof records === "string" ? records === "all" : recordNewest === undefined || recordNewest < records.unreadSince;
    const requests = Math.max(1, Math.ceil((modules ?? 0) / pageSize)) + (hasRecord ? 1 : 0);
    const changes = [...changesIn(codeChanges), ...(hasRecord ? changesIn(keyRotations) : [])]
      .sort((a, b) => compare(a.atOrBefore, b.atOrBefore))
      .map(({ after, atOrBefore }) => [dayOf(after), dayOf(atOrBefore)] as const);
    const key = [first, newest, failed, requests, ...changes].join(" ");
    const alike = grouped.get(key);
    if (alike !== undefined) {
      alike.accounts.push(account);
      continue;
    }
    const isCovered = first !== null && newest !== null;
    const readings = isCovered ? { first: dayOf(first), newest: dayOf(newest), changes, isNewcomer: first !== oldest } : undefined;
    const failedOn = failed === null ? undefined : dayOf(failed);
    grouped.set(key, { accounts: [account], readings, failed: failedOn, requests, isRead: newest === ledgerVersion });
  }
  return [...grouped.values()];
}

// Subqueries for each target and no groups: rows come in the order of the primary key, and nothing is sorted first.
const brackets = sql`string_agg(CAST(g.after_version AS text) || ' ' || CAST(g.from_version AS text), ',' ORDER BY g.from_version)`;
// Most targets never changed: of these nothing is put together.
const hasEnded = (spans: Sql): Sql => sql`EXISTS (SELECT 1 FROM ${spans} e WHERE e.address_id = t.address_id AND e.to_version IS NOT NULL)`;
// A value ends at the last snapshot that shows it, and the next begins at the following snapshot that covers the account.
const codeChanges = sql`CASE WHEN ${hasEnded(sql`_listing_spans`)} THEN (SELECT ${brackets} FROM (SELECT s.from_version, lag(s.to_version) OVER (ORDER BY s.from_version) AS after_version
      FROM _listing_spans s WHERE s.address_id = t.address_id) g WHERE g.after_version IS NOT NULL) END`;
const keyRotations = sql`CASE WHEN ${hasEnded(sql`_account_spans`)} THEN (SELECT ${brackets} FROM (SELECT r.from_version, r.authentication_key, lag(r.to_version) OVER w AS after_version, lag(r.authentication_key) OVER w AS key_before
      FROM _account_spans r WHERE r.address_id = t.address_id WINDOW w AS (ORDER BY r.from_version)) g
      WHERE g.after_version IS NOT NULL AND g.authentication_key <> g.key_before) END`;
const modulesNow = sql`(SELECT l.modules FROM _listing_spans s JOIN _listings l ON l.id = s.listing_id WHERE s.address_id = t.address_id AND s.to_version IS NULL)`;
const history = rowOf({
  /** The account's row; `addressesOf` gives its address. Where accounts were given: its place among them. */
  account: whole("t.place"),
  /** The oldest and the newest snapshot that cover it; null when none does. */
  first: orNull(version("(SELECT min(c.from_version) FROM _coverage c WHERE c.address_id = t.address_id)")),
  newest: orNull(version(newestOf(coverage))),
  /** The newest version at which it was asked for and did not answer; null where it always did. */
  failed: orNull(version("f.newest")),
  /** Modules at the newest snapshot that covers it. */
  modules: orNull(whole(modulesNow)),
  /** The newest snapshot that has its record; undefined when none has. */
  recordNewest: orUndefined(version(newestOf(recordCoverage))),
  /** Changes of the list of modules or of a module, oldest first, as `changesIn` reads them. */
  codeChanges: orNull(text(codeChanges)),
  /** The same of the authentication key. A record that came or went is none. */
  keyRotations: orNull(text(keyRotations)),
});
const historiesOf = (targets: Sql) => sql`SELECT ${history.columns} FROM (${targets}) t LEFT JOIN
  ${failedVisits} f ON f.address_id = t.address_id ORDER BY t.place`;
const stored = historiesOf(sql`SELECT address_id AS place, address_id FROM _targets WHERE removed_at IS NULL`);
const given = historiesOf(
  sql`SELECT CAST(j.key AS bigint) AS place, a.id AS address_id FROM ${jsonEach(":accounts::json", "j")} LEFT JOIN _addresses a ON a.address = j.value`,
);
const addresses = sql`SELECT a.address FROM ${jsonEach(":accounts::json", "j")} JOIN _addresses a ON a.id = CAST(j.value AS bigint) ORDER BY j.key`;

/** How often targets were read and how often they changed: of all in row order, or of these accounts in their order, known or not. */
export function targetHistories(engine: Engine, accounts?: readonly Address[]) {
  return accounts === undefined ? history.stream(engine, stored) : history.stream(engine, given, { accounts: JSON.stringify(accounts) });
}

/** The addresses of rows, in their order. */
export function addressesOf(engine: Engine, accounts: readonly Integer[]): Promise<Address[]> {
  return textsOf<Address>(engine, addresses, { accounts: JSON.stringify(accounts.map(Number)) });
}

/** The two readings around each change. */
export function changesIn(text: string | null): ChangeBounds[] {
  if (text === null) return [];
  return text.split(",").map((bracket) => {
    const [after, atOrBefore] = bracket.split(" ") as [string, string];
    return { after: BigInt(after), atOrBefore: BigInt(atOrBefore) };
  });
}
