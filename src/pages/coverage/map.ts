import type { MappedAccount } from "../../archive/read/coverage-reads.ts";
import type { RunRecord } from "../../work/runs/runs.ts";
import { type Html, html } from "../html/html.ts";
import type { Links } from "../html/links.ts";
import { count, dateTime, shortAddress, text } from "../html/texts.ts";
import { breakMarks, type Column, type Mark, markShapes, runMarks } from "./marks.ts";

/** What there is of an account at a version, `isPartly` where its modules alone were read; nothing was asked where it is undefined. */
export type Cell = { readonly kind: "read" | "gap" | "inferred"; readonly reason: string | null; readonly isPartly?: boolean };

export type Line = { readonly row: MappedAccount; readonly cells: readonly (Cell | undefined)[] };

/** The oldest version that the node still reads, and the one that it will read in a day. */
type Horizon = { readonly oldest: bigint | undefined; readonly day: bigint | undefined };

/** Where the edge before a column is, as a share of the width. */
type ToPercent = (before: number) => string;

const [LABEL, CELL_HEIGHT, BARS, GAP, FOOT] = [140, 14, 56, 3, 14];
/** Pixels of a version at least: a screen without room for them scrolls. Parts of the width at least, so that few versions are no walls. */
const [NARROWEST, PARTS_MIN] = [8, 8];

/**
 * Accounts by versions as a drawing: how many were read at each version above, the accounts below. The versions share the width that
 * there is; where it is too narrow for them, the newest show first and the accounts' names stand still beside them.
 */
export function coverageMap(
  columns: readonly Column[],
  lines: readonly Line[],
  { horizon, runs }: { readonly horizon: Horizon; readonly runs: readonly RunRecord[] },
  links: Links,
): Html {
  const parts = Math.max(PARTS_MIN, columns.length);
  const at: ToPercent = (place) => `${Number(((100 * place) / parts).toFixed(3))}%`;
  const marks = [...breakMarks(columns), ...runMarks(columns, runs)];
  const top = BARS + 12 + 10 * Math.max(1, ...[...Map.groupBy(marks, ({ before }) => before).values()].map((of) => of.length));
  const edges = edgesOf(columns, horizon);
  const foot = top + lines.length * (CELL_HEIGHT + GAP) + 8;
  const height = foot + (edges.length + 1) * FOOT;
  const most = Math.max(1, ...columns.map(({ snapshot }) => (snapshot?.accounts ?? 0) + (snapshot?.gaps ?? 0)));
  const label = `What ${columns.length} versions have of ${lines.length} accounts. The list of gaps in SQL says the same in words.`;
  return html`${legend(columns, marks)}
<div class="map"><svg width="${LABEL}" height="${height}" role="group" aria-label="Accounts"><text x="0" y="${BARS}">accounts read</text>${lines.map((line, i) => accountLabel(line, top + i * (CELL_HEIGHT + GAP), links))}</svg>
<div class="cells" tabindex="0" role="region" aria-label="Coverage map"><div class="fill"><svg width="${columns.length * NARROWEST}" height="${height}" aria-hidden="true"></svg><svg height="${height}" role="group" aria-label="${label}">
${columns.map((column, i) => bar(column, at(i), at(1), most, links))}
${lines.map((line, i) => lineCells(line, columns, top + i * (CELL_HEIGHT + GAP), at))}
${markShapes(marks, at, BARS + 8)}${edges.map((one, i) => edge(one, at, parts, foot + (i + 1) * FOOT - 4))}
<text x="0" y="${height - 4}">${count(columns[0]?.version ?? 0n)}</text>${columns.length === 1 ? "" : html`<text x="${at(columns.length)}" y="${height - 4}" text-anchor="end">${count(columns.at(-1)?.version ?? 0n)}</text>`}</svg></div></div></div>`;
}

/** What is drawn: cells always, marks where there are any. */
function legend(columns: readonly Column[], marks: readonly Mark[]): Html {
  const points = new Set(columns.filter(({ snapshot }) => snapshot === undefined).map(({ state }) => state));
  const kinds = new Set(marks.map(({ kind }) => kind));
  const key = (kind: string, words: string, isThere: boolean): Html | "" =>
    isThere ? html`<span class="key ${kind}">${words}</span>` : "";
  return html`<p class="legend">${key("read", "read", true)}${key("gap", "gap", true)}${key("inferred", "inferred", true)}${key("never", "never asked", true)}${key("planned", "planned by backfill", points.has("planned") || points.has("refused"))}${points.has("lost") ? html`<span>✕ lost before it was read</span>` : ""}${key("break", "days without a snapshot", kinds.has("break"))}${key("stale point", "a run that took no head", kinds.has("stale"))}${key("lost point", "a run that lost versions", kinds.has("lost"))}${key("failed point", "a run that failed", kinds.has("failed"))}</p>`;
}

function bar({ version, state, snapshot }: Column, x: string, w: string, most: number, links: Links): Html {
  const [read, gaps] = [snapshot?.accounts ?? 0, snapshot?.gaps ?? 0];
  const scale = (n: number): number => (n === 0 ? 0 : Math.max(2, (n / most) * BARS));
  const [high, missed] = [scale(read), scale(gaps)];
  const words =
    snapshot === undefined
      ? `version ${count(version)}: asked for by backfill, ${state}`
      : `version ${count(version)}: ${count(read)} accounts read, ${count(gaps)} gaps`;
  const inside = html`<title>${words}</title><rect class="never" x="${x}" y="${BARS + 4}" width="${w}" height="3"/><rect class="read" x="${x}" y="${BARS - high}" width="${w}" height="${high}"/><rect class="gap" x="${x}" y="${BARS - high - missed}" width="${w}" height="${missed}"/>`;
  if (snapshot === undefined) {
    const isOpen = state === "planned" || state === "refused";
    const mark = isOpen
      ? html`<rect class="planned" x="${x}" y="${BARS - 18}" width="${w}" height="17"/>`
      : state === "lost"
        ? html`<text class="gone" x="${x}" y="${BARS - 3}">✕</text>`
        : "";
    return html`<g>${inside}${mark}</g>`;
  }
  return html`<a href="${links.changes({ night: version })}" aria-label="${words}">${inside}</a>`;
}

const stateWords: Readonly<Record<MappedAccount["state"], readonly [about: string, mark: string]>> = {
  read: ["", ""],
  gap: [": a gap at the newest version", " !"],
  out: [": not asked about at the newest version", ""],
};

/** An account's name, with a mark where it wants to be looked at. */
function accountLabel({ row }: Line, y: number, links: Links): Html {
  const [about, mark] =
    row.removedAt === null ? stateWords[row.state] : [`: off the list of targets since ${dateTime(row.removedAt)} UTC`, " ⊘"];
  return html`<a href="${links.account(row.address)}"><title>${row.address}${about}</title><text x="0" y="${y + 11}">${shortAddress(row.address)}${mark}</text></a>`;
}

/** An account's cells; neighbours of one kind are one rectangle. */
function lineCells({ row, cells }: Line, columns: readonly Column[], y: number, at: ToPercent): Html {
  const rects: Html[] = [];
  let begin = 0;
  for (let i = 1; i <= columns.length; i++) {
    if (i < columns.length && isAlike(cells[begin], cells[i])) continue;
    rects.push(stretch(columns, cells, begin, i - 1, y, at));
    begin = i;
  }
  return html`<g data-account="${row.address}">${rects}</g>`;
}

function isAlike(a: Cell | undefined, b: Cell | undefined): boolean {
  return a === b || (a?.kind === b?.kind && a?.reason === b?.reason && a?.isPartly === b?.isPartly);
}

function stretch(columns: readonly Column[], cells: Line["cells"], from: number, to: number, y: number, at: ToPercent): Html {
  const found = cells[from];
  const kind = found?.kind ?? "never";
  const range =
    from === to ? count(columns[from]?.version ?? 0n) : `${count(columns[from]?.version ?? 0n)} to ${count(columns[to]?.version ?? 0n)}`;
  const isPartly = found?.isPartly === true;
  const words = {
    read: isPartly ? "read, its modules alone and not its record" : "read",
    gap: `gap: ${text(found?.reason ?? "", 60)}`,
    inferred: "inferred from both sides",
    never: "never asked",
  }[kind];
  return html`<rect class="${kind}"${isPartly ? html` fill-opacity="0.5"` : ""} x="${at(from)}" y="${y}" width="${at(to - from + 1)}" height="${CELL_HEIGHT}" rx="2"><title>${range}: ${words}</title></rect>`;
}

/** A line between versions: `below` of them are older. */
type Edge = { readonly kind: "edge" | "soon"; readonly version: bigint; readonly below: number; readonly words: string };

/** Where the horizon runs through the versions, and where it does in a day; nothing where it is older than all of them. */
function edgesOf(columns: readonly Column[], { oldest, day }: Horizon): Edge[] {
  const edgeAt = (kind: Edge["kind"], version: bigint | undefined, words: string): Edge[] =>
    version === undefined ? [] : [{ kind, version, words, below: columns.filter((column) => column.version < version).length }];
  const found = [...edgeAt("edge", oldest, "horizon"), ...edgeAt("soon", day, "in a day")];
  return found.filter(({ below }, i) => below > 0 && below !== found[i - 1]?.below);
}

/** Its label is on the side that has room, on a line of its own: side by side they would meet on a narrow screen. */
function edge({ kind, version, below, words }: Edge, at: ToPercent, parts: number, y: number): Html {
  const [anchor, beside] = below < parts / 2 ? ["start", 4] : ["end", -4];
  return html`<line class="${kind}" x1="${at(below)}" x2="${at(below)}" y1="0" y2="${y}"><title>${words}: versions below ${count(version)}</title></line><text x="${at(below)}" dx="${beside}" y="${y}" text-anchor="${anchor}">${words}</text>`;
}
