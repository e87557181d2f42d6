import type { CoverageStretch, MappedAccount } from "../../archive/read/coverage-reads.ts";
import { plural } from "../../base/plural.ts";
import { SAMPLED_MS } from "../../crawl/horizon/head-watch.ts";
import { horizonForecasts } from "../../crawl/horizon/horizon-forecast.ts";
import { sealedAmong } from "../../questions/diff/last-night.ts";
import { type Html, html } from "../html/html.ts";
import { count, nothing } from "../html/texts.ts";
import type { PageCall, PageHandler } from "../page.ts";
import { readAddress } from "../subject.ts";
import { type Cell, coverageMap, type Line } from "./map.ts";
import type { Column } from "./marks.ts";
import { backfillTable, runTable } from "./work-tables.ts";

/** Columns and rows of one map. */
const [COLUMNS, ROWS] = [96, 60];
/** Runs that are listed, and that are looked through for those to mark in the map. */
const [RUNS, MARKED_RUNS] = [40, 400];
const DAY_MS = 86_400_000;
const READ: Cell = { kind: "read", reason: null };
const CODE_ALONE: Cell = { kind: "read", reason: null, isPartly: true };

/** `/coverage`: accounts by snapshots, what was read, inferred, missed and never asked; the horizon; what the nights cost. */
export const coveragePage: PageHandler = async (call) => {
  const { archive, links, now } = call;
  const { store } = archive;
  const snapshots = sealedAmong(await store.listSnapshots());
  const points = await store.backfillPoints();
  const [forecast] = horizonForecasts(await store.headSamples({ since: now - SAMPLED_MS }));
  const byVersion = new Map<bigint, Column>(points.map(({ version, state }) => [version, { version, state }]));
  for (const snapshot of snapshots) byVersion.set(snapshot.ledgerVersion, { version: snapshot.ledgerVersion, state: "sealed", snapshot });
  const all = [...byVersion.values()].sort((a, b) => (a.version < b.version ? -1 : 1));
  const pages = Math.max(1, Math.ceil(all.length / COLUMNS));
  const back = Math.min(pages - 1, wholeIn(call, "earlier"));
  const columns = all.slice(Math.max(0, all.length - (back + 1) * COLUMNS), all.length - back * COLUMNS);
  const skip = wholeIn(call, "skip");
  const { accounts: shown, total } = await rowsOf(call, columns, skip);
  const offset = skip < total ? skip : 0;
  const runs = await store.listRuns(MARKED_RUNS);
  const day = forecast?.goneBy(now + DAY_MS)?.expected;
  const map =
    columns.length === 0
      ? nothing("No sealed snapshot yet.")
      : coverageMap(columns, await cellsOf(call, shown, columns), { horizon: { oldest: forecast?.oldest, day }, runs }, links);
  const body = html`<h1>Coverage</h1><p class="lead">${plural(total, "account")}, ${plural(all.length, "version")}${pages > 1 ? `; ${plural(columns.length, "version")} shown` : ""}.</p>
${filterForm(call)}${map}${pager(call, { offset, total, back, pages })}
<section><h2>Backfill</h2>${backfillTable(points, forecast, now)}</section>
<section><h2>Runs</h2>${runTable(runs.slice(0, RUNS))}</section>`;
  return { title: "Coverage", section: "coverage", body };
};

/** A part of the accounts, or the one that is asked for. */
async function rowsOf({ archive: { store }, query }: PageCall, columns: readonly Column[], skip: number): Promise<Rows> {
  const account = query("account");
  const sealed = columns.filter(({ snapshot }) => snapshot !== undefined).map(({ version }) => version);
  const newest = sealed.at(-1);
  if (newest === undefined) return { accounts: [], total: 0 };
  const asked = [...new Set([sealed[0] as bigint, sealed.at(-2) ?? newest, newest])];
  const one = account === undefined ? undefined : readAddress(account);
  const found = await store.mappedAccounts(asked, { account: one, skip, limit: ROWS });
  return one === undefined || found.total > 0 ? found : { accounts: [{ address: one, state: "out", removedAt: null }], total: 1 };
}

type Rows = { readonly accounts: readonly MappedAccount[]; readonly total: number };

/** What stands in the cells of each row, by the places of its columns. */
async function cellsOf({ archive: { store } }: PageCall, rows: readonly MappedAccount[], columns: readonly Column[]): Promise<Line[]> {
  const addresses = rows.map(({ address }) => address);
  const [first, last] = [columns[0]?.version ?? 0n, columns.at(-1)?.version ?? 0n];
  const stretches = Map.groupBy(await store.coverageOf(addresses, { from: first, to: last }), ({ address }) => address);
  const isPartly = columns.some(({ snapshot }) => snapshot !== undefined && snapshot.unreadRecords > 0);
  const recorded = isPartly
    ? Map.groupBy(await store.recordCoverageOf(addresses, { from: first, to: last }), ({ address }) => address)
    : undefined;
  const hasPoints = columns.some(({ snapshot, state }) => snapshot === undefined || state !== "sealed");
  const inferred = Map.groupBy(hasPoints ? await store.inferredOf(addresses) : [], ({ address }) => address);
  const places = new Map(columns.map(({ version }, i) => [version, i]));
  return rows.map((row) => {
    const cells = new Array<Cell | undefined>(columns.length).fill(undefined);
    for (const { version } of inferred.get(row.address) ?? []) {
      const place = places.get(version);
      if (place !== undefined) cells[place] = { kind: "inferred", reason: null };
    }
    for (const stretch of stretches.get(row.address) ?? []) {
      for (const i of placesOf(columns, stretch)) {
        if (stretch.reason !== null) cells[i] = { kind: "gap", reason: stretch.reason };
        else if (columns[i]?.snapshot !== undefined) cells[i] = recorded === undefined ? READ : CODE_ALONE;
      }
    }
    for (const stretch of recorded?.get(row.address) ?? [])
      for (const i of placesOf(columns, stretch)) if (cells[i] === CODE_ALONE) cells[i] = READ;
    return { row, cells };
  });
}

/** The places of the columns that lie in a stretch. */
function* placesOf(columns: readonly Column[], { from, to }: CoverageStretch): Generator<number> {
  const begin = columns.findIndex(({ version }) => version >= from);
  for (let i = begin; i >= 0 && i < columns.length && (to === null || (columns[i] as Column).version <= to); i++) yield i;
}

function filterForm({ links, query }: PageCall): Html {
  return html`<form class="filters" action="${links.coverage()}"><label>Account<input name="account" value="${query("account") ?? ""}" placeholder="0x1" maxlength="66" spellcheck="false"></label><button class="primary">Show</button></form>`;
}

type Place = { readonly offset: number; readonly total: number; readonly back: number; readonly pages: number };

function pager({ links, query }: PageCall, { offset, total, back, pages }: Place): Html {
  const to = (skip: number, earlier: number, words: string): Html =>
    html`<a class="button" href="${links.coverage({ account: query("account"), skip: skip || undefined, earlier: earlier || undefined })}">${words}</a>`;
  const buttons = [
    ...(back + 1 < pages ? [to(offset, back + 1, "Earlier versions")] : []),
    ...(back > 0 ? [to(offset, back - 1, "Later versions")] : []),
    ...(offset > 0 ? [to(Math.max(0, offset - ROWS), back, "Previous accounts")] : []),
    ...(offset + ROWS < total ? [to(offset + ROWS, back, `Next accounts (${count(total - offset - ROWS)} more)`)] : []),
  ];
  return buttons.length === 0 ? html`` : html`<p class="pager">${buttons}</p>`;
}

function wholeIn({ query }: PageCall, name: string): number {
  const text = query(name) ?? "";
  return /^\d{1,7}$/.test(text) ? Number(text) : 0;
}
