import { type Html, html } from "../../../core/base/html.ts";
import { formatBytes, plural } from "../../../core/base/plural.ts";
import { formatDuration } from "../../../core/base/time.ts";
import { type HorizonForecast, storedForecasts } from "../../../core/crawl/horizon/horizon-forecast.ts";
import { type SnapshotCounts, statusQueries } from "../../../core/db/archive/read/status-queries.ts";
import { sealedAmong } from "../../../core/questions/diff/last-night.ts";
import type { Links } from "../../../core/questions/page-links.ts";
import { type BackfillPoint, backfillQueries, type PointState } from "../../../core/work/runs/backfill.ts";
import { type RunRecord, runQueries } from "../../../core/work/runs/runs.ts";
import { accountField, accountLink, count, dateTime, nothing, table, text } from "../html/texts.ts";
import type { PageCall, PageHandler } from "../page.ts";
import { readAddress } from "../parameters.ts";
import { type CoverageStretch, coverageQueries, type ListedAccount } from "./coverage-queries.ts";

/** Versions of one bar, accounts of a page, and runs that are listed. */
const [VERSIONS, ROWS, RUNS] = [96, 60, 40];
const READ: Cell = { kind: "read", reason: null };
const CODE_ALONE: Cell = { kind: "code", reason: null };

/** A sealed snapshot; or a version that backfill was asked for, which may have none. */
type Column = { readonly version: bigint; readonly snapshot?: SnapshotCounts };

/** `/coverage`: accounts with what was read, inferred, missed and never asked of them, gaps first; backfill; what the runs cost. */
export const coveragePage: PageHandler = async (call) => {
  const { archive, links, now } = call;
  const { engine } = archive;
  const snapshots = sealedAmong(await statusQueries(engine).listSnapshots());
  const points = await backfillQueries(engine).backfillPoints();
  const [forecast] = await storedForecasts(engine, now);
  const byVersion = new Map<bigint, Column>(points.map(({ version }) => [version, { version }]));
  for (const snapshot of snapshots) byVersion.set(snapshot.ledgerVersion, { version: snapshot.ledgerVersion, snapshot });
  const all = [...byVersion.values()].sort((a, b) => (a.version < b.version ? -1 : 1));
  const columns = all.slice(-VERSIONS);
  const skip = Number(/^\d{1,7}$/.exec(call.query("skip") ?? "")?.[0] ?? 0);
  const { accounts: shown, total } = await rowsOf(call, columns, skip);
  const offset = skip < total ? skip : 0;
  const versions = columns.map(({ version }) => version);
  const listed =
    columns.length === 0 ? nothing("No sealed snapshot yet.") : coverageTable(versions, await linesOf(call, shown, columns), links);
  const filterForm = html`<form class="filters" action="${links.coverage()}">${accountField(call.query("account"))}
<button class="primary">Show</button></form>`;
  const span = all.length > VERSIONS ? html`; the bars show the last ${VERSIONS}` : "";
  const size = html`${plural(total, "account")}, ${plural(all.length, "version")}${span}`;
  const body = html`<h1>Coverage</h1><p class="lead">${size}. <a href="${links.gaps()}">Gaps: why, and what to do</a></p>
${filterForm}${listed}${pager(call, offset, total)}
<section><h2>Backfill</h2>${backfillTable(points, forecast, now)}</section>
<section><h2>Runs</h2>${runTable(await runQueries(engine).listRuns(RUNS))}</section>`;
  return { title: "Coverage", section: "coverage", body };
};

/** A part of the accounts, or the one that is asked for. */
async function rowsOf({ archive: { engine }, query }: PageCall, columns: readonly Column[], skip: number): Promise<Rows> {
  const account = query("account");
  const sealed = columns.filter(({ snapshot }) => snapshot !== undefined).map(({ version }) => version);
  const newest = sealed.at(-1);
  if (newest === undefined) return { accounts: [], total: 0 };
  const asked = [...new Set([sealed[0] as bigint, sealed.at(-2) ?? newest, newest])];
  const one = account === undefined ? undefined : readAddress(account);
  const found = await coverageQueries(engine).accountsByGaps(asked, { account: one, skip, limit: ROWS });
  return one === undefined || found.total > 0 ? found : { accounts: [{ address: one, state: "out", removedAt: null }], total: 1 };
}

type Rows = { readonly accounts: readonly ListedAccount[]; readonly total: number };

/** What there is of each account, by the places of the columns. */
async function linesOf({ archive: { engine } }: PageCall, rows: readonly ListedAccount[], columns: readonly Column[]): Promise<Line[]> {
  const addresses = rows.map(({ address }) => address);
  const [first, last] = [columns[0]?.version ?? 0n, columns.at(-1)?.version ?? 0n];
  const stretches = Map.groupBy(await coverageQueries(engine).coverageOf(addresses, { from: first, to: last }), ({ address }) => address);
  const isPartly = columns.some(({ snapshot }) => snapshot !== undefined && snapshot.unreadRecords > 0);
  const recorded = isPartly
    ? Map.groupBy(await coverageQueries(engine).recordCoverageOf(addresses, { from: first, to: last }), ({ address }) => address)
    : undefined;
  const hasInferred = columns.some(({ snapshot }) => snapshot === undefined);
  const inferred = Map.groupBy(hasInferred ? await coverageQueries(engine).inferredOf(addresses) : [], ({ address }) => address);
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

function* placesOf(columns: readonly Column[], { from, to }: CoverageStretch): Generator<number> {
  const begin = columns.findIndex(({ version }) => version >= from);
  for (let i = begin; i >= 0 && i < columns.length && (to === null || (columns[i] as Column).version <= to); i++) yield i;
}

function pager({ links, query }: PageCall, offset: number, total: number): Html {
  const to = (skip: number, words: string): Html =>
    html`<a class="button" href="${links.coverage({ account: query("account"), skip: skip || undefined })}">${words}</a>`;
  const before = offset > 0 && to(Math.max(0, offset - ROWS), "Previous accounts");
  const after = offset + ROWS < total && to(offset + ROWS, `Next accounts (${count(total - offset - ROWS)} more)`);
  return before || after ? html`<p class="pager">${before}${after}</p>` : html``;
}

/** Versions that are listed of those that are still to be read, or were lost. */
const LISTED = 50;

/** What backfill was asked for, what became of it, and what is still to be read before it is gone. */
function backfillTable(points: readonly BackfillPoint[], forecast: HorizonForecast | undefined, now: number): Html {
  if (points.length === 0) return nothing("No older version was asked for.");
  const states = Map.groupBy(points, ({ state }) => state);
  const summary = [...states].map(([state, of]) => `${plural(of.length, "version")} ${state}`).join(", ");
  const open: readonly PointState[] = ["planned", "refused", "lost", "gaps"];
  const listed = points.filter(({ state }) => open.includes(state));
  const rows = listed.slice(0, LISTED).map(({ version, wantedTime, state, reason }) => {
    const left = state === "planned" || state === "refused" ? forecast?.leftMs(version, now)?.expected : undefined;
    return [
      html`<span class="num">${count(version)}</span>`,
      wantedTime === null ? "" : dateTime(wantedTime),
      state,
      left === undefined || !Number.isFinite(left) ? "" : left === 0 ? "gone" : `gone in ${formatDuration(left)}`,
      text(reason ?? "", 200),
    ];
  });
  const heads = ["Version", "Stands for", "State", "Left", "Why"];
  const list = rows.length === 0 ? "" : table("Versions to read, lost or with gaps", heads, rows);
  const rest = listed.length > LISTED ? html`<p class="dim">and ${count(listed.length - LISTED)} more</p>` : "";
  return html`<p>${summary}.</p>${list}${rest}`;
}

/** What was run, how it ended, and what it cost. */
function runTable(runs: readonly RunRecord[]): Html {
  if (runs.length === 0) return nothing("No run is recorded.");
  const amount = (words: string) => html`<span class="amount">${words}</span>`;
  const number = (value: number | bigint | null) => html`<span class="num">${value === null ? "" : count(value)}</span>`;
  const rows = runs.map((run) => [
    dateTime(Number(run.startedAt)),
    html`<code>${text(run.command, 60)}</code>`,
    run.finishedAt === null ? html`<span class="dim">running, or died</span>` : text(run.exit ?? "", 30),
    run.finishedAt === null ? "" : amount(formatDuration(Number(run.finishedAt) - Number(run.startedAt))),
    number(run.requests),
    number(run.retries),
    run.bytesReceived === null ? "" : amount(formatBytes(Number(run.bytesReceived))),
    number(run.accounts),
    number(run.gaps),
    run.ledgerVersion === null ? "" : number(run.ledgerVersion),
  ]);
  const heads = ["Started, UTC", "Command", "Ended", "Took", "Requests", "Retries", "Received", "Accounts", "Gaps", "Version"];
  return table("Runs", heads, rows, "sortable");
}

/** What there is of an account at a version: `code` is its modules without its record. Nothing was asked where it is undefined. */
export type Cell = { readonly kind: "read" | "code" | "gap" | "inferred"; readonly reason: string | null };

export type Line = { readonly row: ListedAccount; readonly cells: readonly (Cell | undefined)[] };

/** What a bar's colours mean. */
const meanings: Readonly<Record<Cell["kind"] | "never", string>> = {
  read: "read",
  code: "read, its modules alone and not its record",
  gap: "gap",
  inferred: "inferred from both sides",
  never: "never asked",
};

const HEADS = ["Account", "Covered", "Read", "Gaps", "Newest gap", "Now"];

/** A line for each account: a bar of the versions, how many of them were read, its gaps, and how it stands at the newest one. */
function coverageTable(versions: readonly bigint[], lines: readonly Line[], links: Links): Html {
  const seen = new Set(lines.flatMap(({ cells }) => cells.map((cell) => cell?.kind ?? "never")));
  const keys = (Object.keys(meanings) as (keyof typeof meanings)[]).filter((kind) => seen.has(kind));
  const rows = lines.map(({ row, cells }) => {
    const gaps = cells.flatMap((cell, i) => (cell?.kind === "gap" ? [{ version: versions[i] as bigint, reason: cell.reason ?? "" }] : []));
    const read = cells.filter((cell) => cell?.kind === "read" || cell?.kind === "code").length;
    const newest = gaps.at(-1);
    return [
      accountLink(links, row.address),
      bar(versions, cells),
      html`<span class="num">${count(read)}</span> <span class="dim">/ ${count(versions.length)}</span>`,
      html`<span class="num">${gaps.length === 0 ? "" : count(gaps.length)}</span>`,
      newest === undefined ? "" : html`${gapLink(newest.version, links)} <code>${text(newest.reason, 60)}</code>`,
      stateOf(row),
    ];
  });
  return html`<p class="legend">${keys.map((kind) => html`<span class="key ${kind}">${meanings[kind]}</span>`)}</p>
${table("Coverage", HEADS, rows)}`;
}

function gapLink(version: bigint, links: Links): Html {
  return html`<a class="num" href="${links.gaps({ night: version })}">${count(version)}</a>`;
}

function stateOf({ state, removedAt }: ListedAccount): string {
  if (removedAt !== null) return `off the list of targets since ${dateTime(removedAt)} UTC`;
  return { read: "", gap: "a gap at the newest version", out: "not asked about at the newest version" }[state];
}

/** The versions share the width of the bar; neighbours of one kind are one rectangle. */
function bar(versions: readonly bigint[], cells: Line["cells"]): Html {
  const at = (place: number): string => `${Number(((100 * place) / versions.length).toFixed(2))}%`;
  const stretches: Html[] = [];
  for (let from = 0, to = 1; from < cells.length; from = to, to = from + 1) {
    const found = cells[from];
    while (to < cells.length && cells[to]?.kind === found?.kind && cells[to]?.reason === found?.reason) to += 1;
    // What was never asked is what lies below.
    if (found === undefined) continue;
    const [first, last] = [count(versions[from] ?? 0n), count(versions[to - 1] ?? 0n)];
    const range = first === last ? first : `${first} to ${last}`;
    const why = found.reason === null ? "" : `: ${text(found.reason, 60)}`;
    const title = `${range}: ${meanings[found.kind]}${why}`;
    stretches.push(html`<rect class="${found.kind}" x="${at(from)}" width="${at(to - from)}" height="100%"><title>${title}</title></rect>`);
  }
  return html`<svg class="covered" aria-hidden="true"><rect class="never" width="100%" height="100%"/>${stretches}</svg>`;
}
