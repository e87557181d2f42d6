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

const [LABEL, CELL_HEIGHT, BARS, GAP] = [140, 14, 56, 3];
/** Pixels that the versions fill on a wide screen, and of one of them at most. */
const [ROOM, WIDEST] = [1060, 130];

/**
 * Accounts by versions as a drawing: how many were read at each version above, the accounts below. The accounts' names stand still
 * beside the versions, of which a narrow screen shows the newest first.
 */
export function coverageMap(
  columns: readonly Column[],
  lines: readonly Line[],
  { horizon, runs }: { readonly horizon: Horizon; readonly runs: readonly RunRecord[] },
  links: Links,
): Html {
  const cell = Math.max(8, Math.min(WIDEST, Math.floor(ROOM / columns.length)));
  const width = LABEL + columns.length * cell;
  const marks = [...breakMarks(columns), ...runMarks(columns, runs)];
  const top = BARS + 12 + 10 * Math.max(1, ...[...Map.groupBy(marks, ({ before }) => before).values()].map((of) => of.length));
  const height = top + lines.length * (CELL_HEIGHT + GAP) + 22;
  const most = Math.max(1, ...columns.map(({ snapshot }) => (snapshot?.accounts ?? 0) + (snapshot?.gaps ?? 0)));
  const below = belowCount(columns, horizon.oldest);
  const label = `What ${columns.length} versions have of ${lines.length} accounts. The list of gaps in SQL says the same in words.`;
  return html`${legend(columns, marks)}
<div class="map"><svg width="${LABEL}" height="${height}" role="group" aria-label="Accounts"><text x="0" y="${BARS}">accounts read</text>${lines.map((line, i) => accountLabel(line, top + i * (CELL_HEIGHT + GAP), links))}</svg>
<div class="cells" tabindex="0" role="region" aria-label="Coverage map"><svg width="${width - LABEL + 4}" height="${height}" viewBox="${`${LABEL - 2} 0 ${width - LABEL + 4} ${height}`}" role="group" aria-label="${label}">
${columns.map((column, i) => bar(column, LABEL + i * cell, cell, most, links))}
${lines.map((line, i) => lineCells(line, columns, top + i * (CELL_HEIGHT + GAP), cell))}
${markShapes(marks, (before) => LABEL + before * cell - 1, BARS + 8)}${edge("edge", horizon.oldest, columns, { cell, height, words: "horizon" })}${belowCount(columns, horizon.day) === below ? "" : edge("soon", horizon.day, columns, { cell, height, words: "in a day" })}
${below > 0 && below * cell < FOOT / 2 ? "" : html`<text x="${LABEL}" y="${height - 4}">${count(columns[0]?.version ?? 0n)}</text>`}<text x="${width}" y="${height - 4}" text-anchor="end">${count(columns.at(-1)?.version ?? 0n)}</text></svg></div></div>`;
}

/** What is drawn: cells always, marks where there are any. */
function legend(columns: readonly Column[], marks: readonly Mark[]): Html {
  const points = new Set(columns.filter(({ snapshot }) => snapshot === undefined).map(({ state }) => state));
  const kinds = new Set(marks.map(({ kind }) => kind));
  const key = (kind: string, words: string, isThere: boolean): Html | "" =>
    isThere ? html`<span class="key ${kind}">${words}</span>` : "";
  return html`<p class="legend">${key("read", "read", true)}${key("gap", "gap", true)}${key("inferred", "inferred", true)}${key("never", "never asked", true)}${key("planned", "planned by backfill", points.has("planned") || points.has("refused"))}${points.has("lost") ? html`<span>✕ lost before it was read</span>` : ""}${key("break", "days without a snapshot", kinds.has("break"))}${key("stale point", "a run that took no head", kinds.has("stale"))}${key("lost point", "a run that lost versions", kinds.has("lost"))}${key("failed point", "a run that failed", kinds.has("failed"))}</p>`;
}

function bar({ version, state, snapshot }: Column, x: number, cell: number, most: number, links: Links): Html {
  const [read, gaps] = [snapshot?.accounts ?? 0, snapshot?.gaps ?? 0];
  const scale = (n: number): number => (n === 0 ? 0 : Math.max(2, (n / most) * BARS));
  const [high, missed] = [scale(read), scale(gaps)];
  const words =
    snapshot === undefined
      ? `version ${count(version)}: asked for by backfill, ${state}`
      : `version ${count(version)}: ${count(read)} accounts read, ${count(gaps)} gaps`;
  const w = cell - 2;
  const inside = html`<title>${words}</title><rect class="never" x="${x}" y="${BARS + 4}" width="${w}" height="3"/><rect class="read" x="${x}" y="${BARS - high}" width="${w}" height="${high}"/><rect class="gap" x="${x}" y="${BARS - high - missed}" width="${w}" height="${missed}"/>`;
  if (snapshot === undefined) {
    const isOpen = state === "planned" || state === "refused";
    const mark = isOpen
      ? html`<rect class="planned" x="${x + 0.5}" y="${BARS - 18}" width="${w - 1}" height="17"/>`
      : state === "lost"
        ? html`<text class="gone" x="${x}" y="${BARS - 3}">✕</text>`
        : "";
    return html`<g>${inside}${mark}</g>`;
  }
  return html`<a href="${links.changes({ night: version })}" aria-label="${words}">${inside}</a>`;
}

/** An account's name, with a mark where it wants to be looked at. */
function accountLabel({ row }: Line, y: number, links: Links): Html {
  const about =
    row.removedAt === null
      ? row.state === "out"
        ? ": not asked about at the newest version"
        : row.state === "gap"
          ? ": a gap at the newest version"
          : ""
      : `: off the list of targets since ${dateTime(row.removedAt)} UTC`;
  const mark = row.removedAt !== null ? " ⊘" : row.state === "gap" ? " !" : "";
  return html`<a href="${links.account(row.address)}"><title>${row.address}${about}</title><text x="0" y="${y + 11}">${shortAddress(row.address)}${mark}</text></a>`;
}

/** An account's cells; neighbours of one kind are one rectangle. */
function lineCells({ row, cells }: Line, columns: readonly Column[], y: number, cell: number): Html {
  const rects: Html[] = [];
  let begin = 0;
  for (let i = 1; i <= columns.length; i++) {
    if (i < columns.length && isAlike(cells[begin], cells[i])) continue;
    rects.push(stretch(columns, cells, begin, i - 1, y, cell));
    begin = i;
  }
  return html`<g data-account="${row.address}">${rects}</g>`;
}

function isAlike(a: Cell | undefined, b: Cell | undefined): boolean {
  return a === b || (a?.kind === b?.kind && a?.reason === b?.reason && a?.isPartly === b?.isPartly);
}

function stretch(columns: readonly Column[], cells: Line["cells"], from: number, to: number, y: number, cell: number): Html {
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
  return html`<rect class="${kind}"${isPartly ? html` fill-opacity="0.5"` : ""} x="${LABEL + from * cell}" y="${y}" width="${(to - from + 1) * cell - 2}" height="${CELL_HEIGHT}" rx="2"><title>${range}: ${words}</title></rect>`;
}

type Edge = { readonly cell: number; readonly height: number; readonly words: string };

/** Pixels at the foot of the map that the oldest version and the horizon's label need beside each other. */
const FOOT = 110;

function belowCount(columns: readonly Column[], version: bigint | undefined): number {
  return version === undefined ? 0 : columns.filter((column) => column.version < version).length;
}

/** Where the horizon runs through the versions; nothing where it is older than all of them. */
function edge(kind: "edge" | "soon", version: bigint | undefined, columns: readonly Column[], { cell, height, words }: Edge): Html {
  if (version === undefined) return html``;
  const below = belowCount(columns, version);
  if (below === 0) return html``;
  const x = LABEL + below * cell - 1;
  // The horizon's label stands to its left, that of the day to its right, unless the oldest version stands there.
  const anchor = kind === "edge" && x > LABEL + FOOT ? "end" : "start";
  const beside = anchor === "start" ? x + 3 : x - 3;
  return html`<line class="${kind}" x1="${x}" x2="${x}" y1="0" y2="${height - 18}"><title>${words}: versions below ${count(version)}</title></line><text x="${beside}" y="${height - 4}" text-anchor="${anchor}">${words}</text>`;
}
