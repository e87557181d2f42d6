import type { TimelineNights } from "./timeline-nights.ts";

const WIDTH = 960;
const HEIGHT = 406;
const TRACK = { left: 118, width: 806, top: 92, step: 30, bar: 14 };
const colours = {
  ink: "#1f2933",
  quiet: "#61707f",
  line: "#d5dce3",
  window: "#a9cdf0",
  pruned: "#f1e4df",
  pin: "#0b6e4f",
  change: "#b4540a",
};

/** The picture of the README: each night's readable window, the pins of its snapshots, and what is left of the first at the end. */
export function drawTimeline({ nights, changes, asked }: TimelineNights): string {
  const newest = nights.at(-1)?.pin as number;
  const x = (version: number): number => Math.round((TRACK.left + (version / newest) * TRACK.width) * 10) / 10;
  const rowTop = (row: number): number => TRACK.top + row * TRACK.step;
  const archiveTop = rowTop(nights.length) + 14;
  const rows = nights.flatMap(({ pin, oldest }, row) => nightRow(`night ${row + 1}`, rowTop(row), x(oldest), x(pin)));
  const dots = nights.map(({ pin }) => dot(x(pin), archiveTop));
  const firstChange = x(Math.max(...changes));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="Helvetica, Arial, sans-serif" font-size="13" role="img">`,
    "<title>Six nights of snapshots against a node that keeps two days of history</title>",
    `<rect x="0.5" y="0.5" width="${WIDTH - 1}" height="${HEIGHT - 1}" rx="8" fill="#ffffff" stroke="${colours.line}"/>`,
    text(24, 34, "Six nights against a node that keeps two days", { size: 17, bold: true }),
    legend(),
    ...changes.map((version) => changeLine(x(version), archiveTop + 12)),
    text(firstChange + 7, TRACK.top - 7, "modules are upgraded", { fill: colours.change, size: 12 }),
    ...rows,
    `<line x1="24" x2="${WIDTH - 24}" y1="${archiveTop - 17}" y2="${archiveTop - 17}" stroke="${colours.line}"/>`,
    text(24, archiveTop + 5, "the archive", { bold: true }),
    `<line x1="${x(nights[0]?.pin as number)}" x2="${x(newest)}" y1="${archiveTop}" y2="${archiveTop}" stroke="${colours.pin}" stroke-width="2"/>`,
    ...dots,
    text(x(nights[0]?.pin as number), archiveTop + 25, `ledger version ${count(asked.version)}`, {
      fill: colours.quiet,
      size: 12,
      middle: true,
    }),
    text(x(newest), archiveTop + 25, count(newest), { fill: colours.quiet, size: 12, end: true }),
    answerBox(archiveTop + 46, nights.length, asked),
    "</svg>",
    "",
  ].join("\n");
}

function nightRow(label: string, top: number, oldest: number, pin: number): string[] {
  return [
    text(24, top + 5, label, { fill: colours.quiet }),
    bar(TRACK.left, oldest, top, colours.pruned),
    bar(oldest, pin, top, colours.window),
    dot(pin, top),
  ];
}

function legend(): string {
  const y = 56;
  return [
    bar(24, 44, y, colours.window),
    text(51, y + 5, "what the node can read", { size: 12 }),
    bar(198, 218, y, colours.pruned),
    text(225, y + 5, "pruned: 410", { size: 12 }),
    dot(322, y),
    text(333, y + 5, "movedex sync: a snapshot of every account on its list, at one ledger version", { size: 12 }),
  ].join("\n");
}

/** The same question at the end, to both. */
function answerBox(top: number, nightCount: number, { version, nodeStatus, nodeError, archive }: TimelineNights["asked"]): string {
  const left = 24;
  const line = (y: number, who: string, answer: string, fill: string) =>
    text(left + 14, y, who, { size: 12.5 }) + code(left + 330, y, answer, fill);
  return [
    `<rect x="${left}" y="${top}" width="${WIDTH - 2 * left}" height="56" rx="6" fill="#f7f9fb" stroke="${colours.line}"/>`,
    line(top + 23, `the node after night ${nightCount}, asked for that version:`, `${nodeStatus} ${nodeError}`, "#a3341b"),
    line(top + 43, `movedex show pool::spot_price@${version}:`, archive, colours.pin),
  ].join("\n");
}

function bar(from: number, to: number, middle: number, fill: string): string {
  return `<rect x="${from}" y="${middle - TRACK.bar / 2}" width="${Math.round((to - from) * 10) / 10}" height="${TRACK.bar}" rx="2" fill="${fill}"/>`;
}

function dot(x: number, y: number): string {
  return `<circle cx="${x}" cy="${y}" r="5.5" fill="${colours.pin}" stroke="#ffffff" stroke-width="1.5"/>`;
}

function changeLine(x: number, bottom: number): string {
  return `<line x1="${x}" x2="${x}" y1="${TRACK.top - 16}" y2="${bottom}" stroke="${colours.change}" stroke-width="1.2" stroke-dasharray="4 3"/>`;
}

type Style = { readonly size?: number; readonly bold?: true; readonly fill?: string; readonly middle?: true; readonly end?: true };

function text(x: number, y: number, words: string, { size = 13, bold, fill = colours.ink, middle, end }: Style = {}): string {
  const anchor = middle ? ' text-anchor="middle"' : end ? ' text-anchor="end"' : "";
  return `<text x="${x}" y="${y}" font-size="${size}"${bold ? ' font-weight="bold"' : ""}${anchor} fill="${fill}">${escapeXml(words)}</text>`;
}

function code(x: number, y: number, words: string, fill: string): string {
  return `<text x="${x}" y="${y}" font-size="12.5" font-family="Menlo, Consolas, 'DejaVu Sans Mono', monospace" fill="${fill}">${escapeXml(words)}</text>`;
}

function escapeXml(words: string): string {
  return words.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

function count(version: number): string {
  return version.toLocaleString("en-US");
}
