import { compare } from "../../../core/base/lists.ts";
import { formatBytes, grouped, plural } from "../../../core/base/plural.ts";
import { printable } from "../../../core/base/printable.ts";
import { formatDuration } from "../../../core/base/time.ts";
import { sealedAmong, statusQueries } from "../../../core/db/archive/read/status-queries.ts";
import { type RunRecord, runQueries } from "../../../core/work/runs/runs.ts";
import { type BackfillPoint, backfillPoints, type PointState } from "../../backfill/point-queries.ts";
import { type Html, html } from "../../changes/pages/html.ts";
import { type HorizonForecast, storedForecasts } from "../../horizon/horizon-forecast.ts";
import { accountField, legend, nothing, pager, stretches, table } from "../../pages/html/elements.ts";
import { accountLink, amount, dateTime, num } from "../../pages/html/texts.ts";
import { type PageCall, type PageHandler, readAddress } from "../../pages/page.ts";
import { type CoverageMark, coverageQueries, type ListedAccount } from "./coverage-queries.ts";

/** Versions of one bar, accounts of a page, runs that are listed, and versions that are listed of those still to be read or lost. */
const [VERSIONS, ROWS, RUNS, LISTED] = [96, 60, 40, 50];

/** A version of the bars: of a sealed snapshot, or one that backfill was asked for, which may have none. */
type Column = { readonly version: bigint; readonly isSnapshot: boolean };
/** What there is of an account at each column: nothing was asked where it is undefined. */
type Cells = readonly (CoverageMark | undefined)[];

/** `/coverage`: accounts with what was read, inferred, missed and never asked of them, gaps first; backfill; what the runs cost. */
export const coveragePage: PageHandler = async (call) => {
  const { archive, links, now, query } = call;
  const { engine } = archive;
  const sealed = new Set(sealedAmong(await statusQueries(engine).listSnapshots()).map(({ ledgerVersion }) => ledgerVersion));
  const points = await backfillPoints(engine);
  const [forecast] = await storedForecasts(engine, now);
  const all = [...new Set([...sealed, ...points.map(({ version }) => version)])].sort(compare);
  const columns = all.slice(-VERSIONS).map((version) => ({ version, isSnapshot: sealed.has(version) }));
  const skip = Number(/^\d{1,7}$/.exec(query("skip") ?? "")?.[0] ?? 0);
  const { accounts, total } = await accountsOf(call, columns, skip);
  const offset = skip < total ? skip : 0;
  const href = (at: number): string => links.coverage({ account: query("account"), skip: at || undefined });
  const rest = total - offset - ROWS;
  const listed = columns.length === 0 ? nothing("No sealed snapshot yet.") : await coverageTable(call, accounts, columns);
  const size = `${plural(total, "account")}, ${plural(all.length, "version")}`;
  const body = html`<h1>Coverage</h1>
<p class="lead">${size}${all.length > VERSIONS && `; the bars show the last ${VERSIONS}`}.
<a href="${links.gaps()}">Gaps: why, and what to do</a></p>
<form class="filters" action="${links.coverage()}">${accountField(query("account"))}
<button class="primary">Show</button></form>${listed}
${pager(
  offset > 0 && ["Previous accounts", href(Math.max(0, offset - ROWS))],
  rest > 0 && [`Next accounts (${grouped(rest)} more)`, href(offset + ROWS)],
)}
<section><h2>Backfill</h2>${backfillTable(points, forecast, now)}</section>
<section><h2>Runs</h2>${runTable(await runQueries(engine).listRuns(RUNS))}</section>`;
  return { title: "Coverage", section: "coverage", body };
};

/** A part of the accounts, or the one that is asked for. */
async function accountsOf({ archive: { engine }, query }: PageCall, columns: readonly Column[], skip: number) {
  const named = query("account");
  const account = named === undefined ? undefined : readAddress(named);
  const sealed = columns.filter(({ isSnapshot }) => isSnapshot).map(({ version }) => version);
  const newest = sealed.at(-1);
  if (newest === undefined) return { accounts: [], total: 0 };
  const asked = [...new Set([sealed[0] as bigint, sealed.at(-2) ?? newest, newest])];
  const found = await coverageQueries(engine).accountsByGaps(asked, { account, skip, limit: ROWS });
  if (account === undefined || found.total > 0) return found;
  return { accounts: [{ address: account, state: "out", removedAt: null } as const], total: 1 };
}

/** What backfill was asked for, what became of it, and what is still to be read before it is gone. */
function backfillTable(points: readonly BackfillPoint[], forecast: HorizonForecast | undefined, now: number): Html {
  if (points.length === 0) return nothing("No older version was asked for.");
  const states = Map.groupBy(points, ({ state }) => state);
  const summary = [...states].map(([state, of]) => `${plural(of.length, "version")} ${state === "gaps" ? "with gaps" : state}`).join(", ");
  const open: readonly PointState[] = ["planned", "refused", "lost", "gaps"];
  const listed = points.filter(({ state }) => open.includes(state));
  const rows = listed.slice(0, LISTED).map(({ version, wantedTime, state, reason }) => {
    const left = state === "planned" || state === "refused" ? forecast?.leftMs(version, now)?.expected : undefined;
    return [
      num(version),
      wantedTime === null ? "" : dateTime(wantedTime),
      state,
      left === undefined || !Number.isFinite(left) ? "" : left === 0 ? "gone" : `gone in ${formatDuration(left)}`,
      printable(reason ?? "", 200),
    ];
  });
  const rest = listed.length - rows.length;
  return html`<p>${summary}.</p>
${rows.length > 0 && table("Versions to read, lost or with gaps", ["Version", "Stands for", "State", "Left", "Why"], rows)}
${rest > 0 && html`<p class="dim">and ${grouped(rest)} more</p>`}`;
}

/** What was run, how it ended, and what it cost. */
function runTable(runs: readonly RunRecord[]): Html {
  const rows = runs.map((run) => [
    dateTime(run.startedAt),
    html`<code>${printable(run.command, 60)}</code>`,
    run.finishedAt === null ? html`<span class="dim">running, or died</span>` : printable(run.exit ?? "", 30),
    run.finishedAt === null ? "" : amount(formatDuration(run.finishedAt - run.startedAt)),
    num(run.requests),
    num(run.retries),
    run.bytesReceived === null ? "" : amount(formatBytes(run.bytesReceived)),
    num(run.accounts),
    num(run.gaps),
    run.ledgerVersion === null ? "" : num(run.ledgerVersion),
  ]);
  const heads = ["Started, UTC", "Command", "Ended", "Took", "Requests", "Retries", "Received", "Accounts", "Gaps", "Version"];
  return table("Runs", heads, rows, { isSortable: true, none: "No run is recorded." });
}

/** What a bar's colours mean. */
const meanings: Readonly<Record<CoverageMark["kind"] | "never", string>> = {
  read: "read",
  code: "read, its modules alone and not its record",
  gap: "gap",
  inferred: "inferred from both sides",
  never: "never asked",
};

/** A line for each account: a bar of the versions, how many of them were read, its gaps, and how it stands at the newest one. */
async function coverageTable({ archive, links }: PageCall, accounts: readonly ListedAccount[], columns: readonly Column[]): Promise<Html> {
  const range = { from: columns[0]?.version ?? 0n, to: columns.at(-1)?.version ?? 0n };
  const addresses = accounts.map(({ address }) => address);
  const marks = Map.groupBy(await coverageQueries(archive.engine).marksOf(addresses, range), ({ address }) => address);
  const isAt = ({ from, to, kind }: CoverageMark, { version, isSnapshot }: Column): boolean =>
    from <= version && (to === null || version <= to) && (isSnapshot || kind === "gap" || kind === "inferred");
  const seen = new Set<keyof typeof meanings>();
  const rows = accounts.map((account) => {
    const cells: Cells = columns.map((column) => marks.get(account.address)?.findLast((mark) => isAt(mark, column)));
    for (const cell of cells) seen.add(cell?.kind ?? "never");
    const gaps = cells.filter((cell) => cell?.kind === "gap");
    const read = cells.filter((cell) => cell?.kind === "read" || cell?.kind === "code").length;
    const newest = gaps.at(-1);
    const gap = newest && html`<a class="num" href="${links.gaps({ night: newest.from })}">${grouped(newest.from)}</a>`;
    return [
      accountLink(links, account.address),
      bar(columns, cells),
      html`${num(read)} <span class="dim">/ ${grouped(columns.length)}</span>`,
      num(gaps.length || null),
      newest === undefined ? "" : html`${gap} <code>${printable(newest.reason ?? "", 60)}</code>`,
      stateOf(account),
    ];
  });
  return html`${legend(meanings, seen)}
${table("Coverage", ["Account", "Covered", "Read", "Gaps", "Newest gap", "Now"], rows)}`;
}

function stateOf({ state, removedAt }: ListedAccount): string {
  if (removedAt !== null) return `off the list of targets since ${dateTime(removedAt)} UTC`;
  return { read: "", gap: "a gap at the newest version", out: "not asked about at the newest version" }[state];
}

/** The versions share the width of the bar; neighbours of one kind are one rectangle. What was never asked is what lies below. */
function bar(columns: readonly Column[], cells: Cells): Html {
  const percent = (place: number): string => `${Number(((100 * place) / columns.length).toFixed(2))}%`;
  let from = 0;
  const parts = stretches(cells, (cell) => cell && `${cell.kind} ${cell.reason}`).map(([, some]) => {
    const [first, last] = [from, from + some.length - 1].map((place) => grouped(columns[place]?.version ?? 0n));
    const [x, width, mark] = [percent(from), percent(some.length), some[0]];
    from += some.length;
    if (mark === undefined) return false;
    const why = mark.reason === null ? "" : `: ${printable(mark.reason, 60)}`;
    const title = `${first === last ? first : `${first} to ${last}`}: ${meanings[mark.kind]}${why}`;
    return html`<rect class="${mark.kind}" x="${x}" width="${width}" height="100%"><title>${title}</title></rect>`;
  });
  return html`<svg class="covered" aria-hidden="true"><rect class="never" width="100%" height="100%"/>${parts}</svg>`;
}
