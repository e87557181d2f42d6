import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { markdownTable } from "../../../src/base/document/markdown.ts";

/** What came of one way to choose: shares of the changes, delays and ages in days. */
type Played = {
  readonly name: string;
  readonly useful: number;
  readonly day: number;
  readonly week: number;
  readonly delay: number;
  readonly oldest: number;
};

/** One world at one budget and one greatest age, mean of three seeds. */
export type Cell = {
  readonly world: string;
  readonly budget: number;
  readonly maxAge: number;
  readonly own: Played;
  readonly inTurns: Played;
  /** The best who learns, under the same greatest age and without any. */
  readonly rival: Played;
  readonly freeRival: Played;
  /** Who knows each account's mean rate, and who knows the rates of the night. */
  readonly mean: Played;
  readonly known: Played;
  readonly rivals: readonly Played[];
  readonly freeRivals: readonly Played[];
};

/** The kept outcome of the simulation. */
export function readCells(): readonly Cell[] {
  return JSON.parse(readFileSync(fileURLToPath(new URL("cadence.json", import.meta.url)), "utf8")) as Cell[];
}

const percent = (share: number): string => (100 * share).toFixed(1);

/** All cells as a table. */
export function cadenceTable(cells: readonly Cell[]): string {
  const rows = cells.map(({ world, budget, maxAge, own, inTurns, rival, freeRival, known }) => [
    world,
    `${Math.round(100 * budget)} %`,
    `${maxAge} d`,
    percent(own.useful),
    percent(inTurns.useful),
    `${percent(rival.useful)} (${rival.name})`,
    `${percent(freeRival.useful)} (${freeRival.name})`,
    percent(known.useful),
    (own.useful / rival.useful).toFixed(2),
    (own.useful / known.useful).toFixed(2),
    `${percent(own.day)} / ${percent(own.week)} / ${own.delay.toFixed(1)} d`,
    `${percent(inTurns.week)}`,
    `${own.oldest} d`,
  ]);
  const head = [
    "world",
    "budget",
    "greatest age",
    "movedex",
    "in turns",
    "best learner",
    "best learner without a greatest age",
    "knows the night's rates",
    "of the best learner",
    "of known rates",
    "movedex: within a day / a week / mean delay",
    "in turns: within a week",
    "movedex: oldest",
  ];
  return markdownTable(head, rows).trimEnd();
}

const PANEL = { width: 200, height: 130, left: 56, top: 74, gapX: 36, gapY: 54, columns: 4 };
const lines = [
  { name: "movedex", of: (cell: Cell) => cell.own, colour: "#0b6e4f", dash: "", width: 3 },
  { name: "best of the other learners", of: (cell: Cell) => cell.rival, colour: "#c07a1a", dash: "6 3", width: 2 },
  { name: "in turns", of: (cell: Cell) => cell.inTurns, colour: "#2c6fbb", dash: "2 3", width: 2 },
  { name: "knows the night's rates", of: (cell: Cell) => cell.known, colour: "#9a9a9a", dash: "1 2", width: 1.5 },
] as const;

/** Usefulness by budget under a greatest age of 30 days: a panel for each world. */
export function drawCadence(cells: readonly Cell[]): string {
  const shown = cells.filter(({ maxAge }) => maxAge === 30);
  const worlds = [...new Set(shown.map(({ world }) => world))];
  const size = {
    width: PANEL.left + PANEL.columns * (PANEL.width + PANEL.gapX),
    height: PANEL.top + Math.ceil(worlds.length / PANEL.columns) * (PANEL.height + PANEL.gapY) + 10,
  };
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size.width} ${size.height}" font-family="sans-serif" font-size="11" role="img">`,
    "<title>Usefulness of a night's choice by the requests of a night, in seven worlds</title>",
    `<rect width="${size.width}" height="${size.height}" fill="#ffffff"/>`,
    `<text x="${PANEL.left}" y="22" font-size="15" font-weight="bold" fill="#222">Usefulness, mean of 2^(−delay / 2 days), by the share of all requests that a night has</text>`,
    ...lines.map(({ name }, place) => legend(name, PANEL.left + place * 210)),
    ...worlds.map((world, place) =>
      panel(
        world,
        PANEL.left + (place % PANEL.columns) * (PANEL.width + PANEL.gapX),
        PANEL.top + Math.floor(place / PANEL.columns) * (PANEL.height + PANEL.gapY),
        shown.filter((cell) => cell.world === world),
      ),
    ),
    "</svg>",
    "",
  ].join("\n");
}

function panel(world: string, left: number, top: number, cells: readonly Cell[]): string {
  const x = (place: number): number => Math.round(left + (place * PANEL.width) / (cells.length - 1));
  const y = (share: number): number => Math.round(top + (1 - share) * PANEL.height);
  const grid = [0, 0.5, 1].flatMap((share) => [
    `<line x1="${left}" x2="${left + PANEL.width}" y1="${y(share)}" y2="${y(share)}" stroke="#e3e3e3"/>`,
    `<text x="${left - 6}" y="${y(share) + 4}" text-anchor="end" fill="#666">${share}</text>`,
  ]);
  const marks = cells.map(
    ({ budget }, place) =>
      `<text x="${x(place)}" y="${top + PANEL.height + 15}" text-anchor="middle" fill="#666">${Math.round(100 * budget)} %</text>`,
  );
  const curves = [...lines].reverse().map(({ name, of }) => {
    const points = cells.map((cell, place) => `${x(place)},${y(of(cell).useful)}`);
    return `<polyline points="${points.join(" ")}" ${stroke(name)}/>`;
  });
  const title = `<text x="${left + PANEL.width / 2}" y="${top - 8}" text-anchor="middle" fill="#222">${world}</text>`;
  return [title, ...grid, ...marks, ...curves].join("\n");
}

function legend(name: string, left: number): string {
  return `<line x1="${left}" x2="${left + 28}" y1="42" y2="42" ${stroke(name)}/><text x="${left + 34}" y="46" fill="#222">${name.replace("'", "’")}</text>`;
}

function stroke(name: string): string {
  const { colour, dash, width } = lines.find((line) => line.name === name) as (typeof lines)[number];
  return `fill="none" stroke="${colour}" stroke-width="${width}" stroke-dasharray="${dash}"`;
}
