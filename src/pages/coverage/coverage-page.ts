import { sealedAmong } from "../../ask/diff/last-night.ts";
import { plural } from "../../base/plural.ts";
import { SAMPLED_MS } from "../../crawl/horizon/head-watch.ts";
import { horizonForecasts } from "../../crawl/horizon/horizon-forecast.ts";
import { compareAddresses } from "../../move/address.ts";
import { type Html, html } from "../html/html.ts";
import { count, nothing } from "../html/texts.ts";
import type { PageCall, PageHandler } from "../page.ts";
import { readAddress } from "../subject.ts";
import { type Column, coverageMap, type Row } from "./map.ts";
import { backfillTable, runTable } from "./work-tables.ts";

/** Columns and rows of one map. */
const [COLUMNS, ROWS] = [96, 60];
const RUNS = 40;
const DAY_MS = 86_400_000;

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
  const accounts = await rowsOf(call, columns);
  const offset = Math.min(wholeIn(call, "skip"), Math.max(0, accounts.length - 1));
  const shown = accounts.slice(offset, offset + ROWS);
  const day = forecast?.goneBy(now + DAY_MS)?.expected;
  const map =
    columns.length === 0
      ? nothing("No sealed snapshot yet.")
      : coverageMap(columns, await cellsOf(call, shown, columns), { oldest: forecast?.oldest, day }, links);
  const body = html`<h1>Coverage</h1><p class="lead">${plural(accounts.length, "account")}, ${plural(all.length, "version")}${pages > 1 ? `; ${plural(columns.length, "version")} shown` : ""}.</p>
${filterForm(call)}${map}${pager(call, { offset, total: accounts.length, back, pages })}
<section><h2>Backfill</h2>${backfillTable(points, forecast, now)}</section>
<section><h2>Runs</h2>${runTable(await store.listRuns(RUNS))}</section>`;
  return { title: "Coverage", section: "coverage", body };
};

/** Accounts that something is wrong with stand first: a gap at the newest version, then those that it was not asked about. */
async function rowsOf({ archive, query }: PageCall, columns: readonly Column[]): Promise<Row[]> {
  const { store } = archive;
  const account = query("account");
  const sealed = columns.filter(({ snapshot }) => snapshot !== undefined).map(({ version }) => version);
  const newest = sealed.at(-1);
  if (newest === undefined) return [];
  const asked = [...new Set([sealed[0] as bigint, sealed.at(-2) ?? newest, newest])];
  const found = account === undefined ? await store.accountsAround(asked) : [readAddress(account)];
  const at = new Map((await store.coverageOf(found, { from: newest, to: newest })).map((point) => [point.address, point]));
  const removed = new Map((await store.targetsAmong(found)).map(({ address, removedAt }) => [address, removedAt]));
  const rank = ({ state }: Row): number => ({ gap: 0, out: 1, read: 2 })[state];
  return found
    .map((address): Row => {
      const point = at.get(address);
      const state = point === undefined ? "out" : point.reason === null ? "read" : "gap";
      return { address, state, removedAt: removed.get(address) ?? undefined };
    })
    .sort((a, b) => rank(a) - rank(b) || compareAddresses(a.address, b.address));
}

async function cellsOf({ archive: { store } }: PageCall, rows: readonly Row[], columns: readonly Column[]) {
  const addresses = rows.map(({ address }) => address);
  const [first, last] = [columns[0]?.version ?? 0n, columns.at(-1)?.version ?? 0n];
  const points = await store.coverageOf(addresses, { from: first, to: last });
  const hasPoints = columns.some(({ snapshot, state }) => snapshot === undefined || state !== "sealed");
  const inferred = hasPoints ? await store.inferredOf(addresses) : [];
  return rows.map((row) => {
    const cells = new Map<bigint, { readonly kind: "read" | "gap" | "inferred"; readonly reason: string | null }>();
    for (const { address, version } of inferred) if (address === row.address) cells.set(version, { kind: "inferred", reason: null });
    for (const { address, version, reason } of points)
      if (address === row.address) cells.set(version, { kind: reason === null ? "read" : "gap", reason });
    return { row, cells };
  });
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
