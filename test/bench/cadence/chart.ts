import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type Chooser, choosers } from "./play.ts";
import type { World } from "./world.ts";

/** The ways that have a line. */
type Drawn = (typeof choosers)[number];

/** What came of one way to choose at one budget: shares from 0 to 1 of the changes. */
export type CadenceCell = {
  readonly world: World["name"];
  readonly budget: number;
  readonly chooser: Chooser;
  readonly withinDay: number;
  readonly noticed: number;
  readonly changes: number;
  /** The share known within a day in each of the simulation's periods, by the true rates of what was read. */
  readonly byPeriod: readonly number[];
};

const SIZE = { width: 820, height: 360 };
const PANEL = { width: 320, height: 220, top: 62, left: 60, gap: 80 };
const styles: Record<
  Drawn,
  { readonly name: string; readonly colour: string; readonly dash: string; readonly width: number; readonly left: number }
> = {
  cadence: { name: "estimated rates", colour: "#0b6e4f", dash: "", width: 3, left: 40 },
  "round robin": { name: "round robin", colour: "#2c6fbb", dash: "7 4", width: 2, left: 196 },
  random: { name: "random", colour: "#8a6d3b", dash: "2 3", width: 2, left: 326 },
  "known rates, max age": { name: "known rates, max. age too", colour: "#c0392b", dash: "7 3 2 3", width: 2, left: 426 },
  "known rates": { name: "known rates", colour: "#9a9a9a", dash: "1 2", width: 1.5, left: 640 },
};
const titles: Record<World["name"], string> = { measured: "rates of recorded modules", zipf: "rates as Zipf 1" };

/** The kept outcome of the simulation. */
export function readOutcomes(): readonly CadenceCell[] {
  const text = readFileSync(fileURLToPath(new URL("cadence.json", import.meta.url)), "utf8");
  return (JSON.parse(text) as { readonly cells: readonly CadenceCell[] }).cells;
}

/** The chart as SVG text: a panel for each world, a line for each way to choose. */
export function drawCadence(cells: readonly CadenceCell[]): string {
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${SIZE.width} ${SIZE.height}" font-family="sans-serif" font-size="12" role="img">`,
    "<title>Share of changes known within a day, by the requests of a night and how its accounts are chosen</title>",
    `<rect width="${SIZE.width}" height="${SIZE.height}" fill="#ffffff"/>`,
    `<text x="${PANEL.left}" y="24" font-size="15" font-weight="bold" fill="#222">Share of changes known within a day</text>`,
    ...(["measured", "zipf"] as const).map((world, index) =>
      panel(
        world,
        PANEL.left + index * (PANEL.width + PANEL.gap),
        cells.filter((cell) => cell.world === world),
      ),
    ),
    `<text x="${SIZE.width / 2}" y="${PANEL.top + PANEL.height + 40}" text-anchor="middle" fill="#444">requests of a night ÷ requests to read everything</text>`,
    ...choosers.map(legend),
    "</svg>",
    "",
  ].join("\n");
}

function panel(world: World["name"], left: number, cells: readonly CadenceCell[]): string {
  const x = (budget: number): number => Math.round(left + budget * PANEL.width);
  const y = (share: number): number => Math.round(PANEL.top + (1 - share) * PANEL.height);
  const grid = [0, 0.25, 0.5, 0.75, 1].flatMap((share) => [
    `<line x1="${left}" x2="${left + PANEL.width}" y1="${y(share)}" y2="${y(share)}" stroke="#e3e3e3"/>`,
    `<text x="${left - 8}" y="${y(share) + 4}" text-anchor="end" fill="#666">${share * 100} %</text>`,
    `<text x="${x(share)}" y="${PANEL.top + PANEL.height + 17}" text-anchor="middle" fill="#666">${share}</text>`,
  ]);
  const lines = [...choosers].reverse().map((chooser) => {
    const points = cells.filter((cell) => cell.chooser === chooser).map(({ budget, withinDay }) => `${x(budget)},${y(withinDay)}`);
    return `<polyline points="${points.join(" ")}" ${stroke(chooser)}/>`;
  });
  const title = `<text x="${left + PANEL.width / 2}" y="${PANEL.top - 12}" text-anchor="middle" fill="#222">${titles[world]}</text>`;
  return [title, ...grid, ...lines].join("\n");
}

function legend(chooser: Drawn): string {
  const { name, left } = styles[chooser];
  const y = SIZE.height - 14;
  return `<line x1="${left}" x2="${left + 30}" y1="${y - 4}" y2="${y - 4}" ${stroke(chooser)}/><text x="${left + 36}" y="${y}" fill="#222">${name}</text>`;
}

function stroke(chooser: Drawn): string {
  const { colour, dash, width } = styles[chooser];
  return `fill="none" stroke="${colour}" stroke-width="${width}" stroke-dasharray="${dash}"`;
}
