import { plural } from "../../base/plural.ts";
import type { MappedAccount } from "../../store/read/coverage-reads.ts";
import type { SnapshotCounts } from "../../store/read/status-queries.ts";
import type { PointState } from "../../store/work/backfill.ts";
import { type Html, html } from "../html/html.ts";
import type { Links } from "../html/links.ts";
import { count, dateTime, shortAddress, text } from "../html/texts.ts";

/** A version of the map: a sealed snapshot, or one that backfill was asked for. */
export type Column = { readonly version: bigint; readonly state: PointState | "sealed"; readonly snapshot?: SnapshotCounts };

type Cell = { readonly kind: "read" | "gap" | "inferred"; readonly reason: string | null };
type Line = { readonly row: MappedAccount; readonly cells: ReadonlyMap<bigint, Cell> };

/** The oldest version that the node still reads, and the one that it will read in a day. */
type Horizon = { readonly oldest: bigint | undefined; readonly day: bigint | undefined };

const DAY_MS = 86_400_000;
const [LABEL, CELL_HEIGHT, BARS, GAP] = [150, 14, 56, 3];

/** Accounts by versions as a drawing: how many were read at each version above, the accounts below. */
export function coverageMap(columns: readonly Column[], lines: readonly Line[], horizon: Horizon, links: Links): Html {
  const cell = Math.max(8, Math.min(26, Math.floor(1000 / columns.length)));
  const width = LABEL + columns.length * cell;
  const top = BARS + 22;
  const height = top + lines.length * (CELL_HEIGHT + GAP) + 22;
  const most = Math.max(1, ...columns.map(({ snapshot }) => (snapshot?.accounts ?? 0) + (snapshot?.gaps ?? 0)));
  const label = `What ${columns.length} versions have of ${lines.length} accounts. The list of gaps in SQL says the same in words.`;
  return html`<p class="legend"><span class="key read">read</span><span class="key gap">gap</span><span class="key inferred">inferred</span><span class="key never">never asked</span><span class="key break">days without a snapshot</span></p>
<div class="map" tabindex="0" role="region" aria-label="Coverage map"><svg width="${width + 2}" height="${height}" viewBox="${`0 0 ${width + 2} ${height}`}" role="group" aria-label="${label}">
<text x="0" y="${BARS}">accounts read</text>${columns.map((column, i) => bar(column, LABEL + i * cell, cell, most, links))}
${lines.map((line, i) => lineHtml(line, columns, top + i * (CELL_HEIGHT + GAP), cell, links))}
${breaks(columns, cell)}${edge("edge", horizon.oldest, columns, { cell, height, words: "horizon", anchor: "end" })}${edge("soon", horizon.day, columns, { cell, height, words: "in a day", anchor: "start" })}
<text x="${LABEL}" y="${height - 4}">${count(columns[0]?.version ?? 0n)}</text><text x="${width}" y="${height - 4}" text-anchor="end">${count(columns.at(-1)?.version ?? 0n)}</text></svg></div>`;
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
  if (snapshot === undefined) return html`<g>${inside}${state === "lost" ? html`<text x="${x}" y="${BARS - 3}">✕</text>` : ""}</g>`;
  return html`<a href="${links.changes({ night: version })}" aria-label="${words}">${inside}</a>`;
}

/** An account's cells; neighbours of one kind are one rectangle. */
function lineHtml({ row, cells }: Line, columns: readonly Column[], y: number, cell: number, links: Links): Html {
  const rects: Html[] = [];
  let begin = 0;
  for (let i = 1; i <= columns.length; i++) {
    const kind = keyAt(columns, cells, begin);
    if (i < columns.length && keyAt(columns, cells, i) === kind) continue;
    rects.push(stretch(columns, cells, begin, i - 1, y, cell));
    begin = i;
  }
  const about =
    row.removedAt === null
      ? row.state === "out"
        ? ": not asked about at the newest version"
        : row.state === "gap"
          ? ": a gap at the newest version"
          : ""
      : `: off the list of targets since ${dateTime(row.removedAt)} UTC`;
  const mark = row.removedAt !== null ? " ⊘" : row.state === "gap" ? " !" : "";
  return html`<a href="${links.account(row.address)}"><title>${row.address}${about}</title><text x="0" y="${y + 11}">${shortAddress(row.address)}${mark}</text></a>${rects}`;
}

function keyAt(columns: readonly Column[], cells: Line["cells"], i: number): string {
  const cell = cells.get(columns[i]?.version ?? -1n);
  return cell === undefined ? "never" : `${cell.kind} ${cell.reason ?? ""}`;
}

function stretch(columns: readonly Column[], cells: Line["cells"], from: number, to: number, y: number, cell: number): Html {
  const found = cells.get(columns[from]?.version ?? -1n);
  const kind = found?.kind ?? "never";
  const range =
    from === to ? count(columns[from]?.version ?? 0n) : `${count(columns[from]?.version ?? 0n)} to ${count(columns[to]?.version ?? 0n)}`;
  const words = { read: "read", gap: `gap: ${text(found?.reason ?? "", 60)}`, inferred: "inferred from both sides", never: "never asked" }[
    kind
  ];
  return html`<rect class="${kind}" x="${LABEL + from * cell}" y="${y}" width="${(to - from + 1) * cell - 2}" height="${CELL_HEIGHT}" rx="2"><title>${range}: ${words}</title></rect>`;
}

type Edge = { readonly cell: number; readonly height: number; readonly words: string; readonly anchor: "start" | "end" };

/** Where the horizon runs through the versions; nothing where it is older than all of them. */
function edge(kind: "edge" | "soon", version: bigint | undefined, columns: readonly Column[], { cell, height, words, anchor }: Edge): Html {
  if (version === undefined) return html``;
  const below = columns.filter((column) => column.version < version).length;
  if (below === 0) return html``;
  const x = LABEL + below * cell - 1;
  const beside = anchor === "start" ? x + 3 : x - 3;
  return html`<line class="${kind}" x1="${x}" x2="${x}" y1="0" y2="${height - 18}"><title>${words}: versions below ${count(version)}</title></line><text x="${beside}" y="${height - 4}" text-anchor="${anchor}">${words}</text>`;
}

/** Days without a snapshot between two columns, as a mark over the gap: what was not read then may be gone. */
function breaks(columns: readonly Column[], cell: number): readonly Html[] {
  return columns.flatMap(({ snapshot }, i) => {
    const before = columns[i - 1]?.snapshot;
    if (snapshot === undefined || before === undefined || before.createdAt === 0) return [];
    const days = Math.round((snapshot.createdAt - before.createdAt) / DAY_MS) - 1;
    if (days < 1) return [];
    const x = LABEL + i * cell - 1;
    return [
      html`<g class="break"><title>${plural(days, "day")} without a snapshot</title><path d="${`M${x - 4} ${BARS + 16}h8l-4 -8z`}"/></g>`,
    ];
  });
}
