import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type Order, orders } from "./orders.ts";
import { type WorldKind, worlds } from "./world.ts";

/** An order, or what nobody can exceed who does not know everything beforehand. */
type Line = Order | "bound";
const lines: readonly Line[] = [...orders, "bound"];

/** The shares of snapshots saved and begun in vain, from 0 to 1, for one order, world and load. */
export type Cell = {
  readonly order: Line;
  readonly world: WorldKind;
  readonly load: number;
  readonly saved: number;
  readonly halfRead: number;
};

const WIDTH = 960;
const HEIGHT = 330;
const PANEL = { width: 188, height: 190, top: 62, left: 54, gap: 38 };
const colours: Record<Line, string> = { deadline: "#0b6e4f", oldest: "#c0392b", newest: "#2c6fbb", random: "#8a6d3b", bound: "#9a9a9a" };
const dashes: Record<Line, string> = { deadline: "", oldest: "2 3", newest: "7 4", random: "7 3 2 3", bound: "1 2" };
const widths: Record<Line, number> = { deadline: 3, oldest: 2, newest: 2, random: 2, bound: 1.5 };
const names: Record<Line, string> = {
  deadline: "movedex: what can be saved, by deadline",
  oldest: "oldest first",
  newest: "newest first",
  random: "random",
  bound: "most that could be, knowing all",
};
const legendLefts: Record<Line, number> = { deadline: 40, oldest: 336, newest: 464, random: 600, bound: 708 };
const titles: Record<WorldKind, string> = {
  steady: "horizon rises evenly",
  batches: "in hourly batches",
  leaps: "in batches, with two leaps",
  uneven: "in batches, uneven answers",
};

/** The kept outcome of the simulation. */
export function readCells(): readonly Cell[] {
  const text = readFileSync(fileURLToPath(new URL("backfill.json", import.meta.url)), "utf8");
  return (JSON.parse(text) as { readonly cells: readonly Cell[] }).cells;
}

/** The chart as SVG text: a panel for each world, a line for each order. */
export function drawChart(cells: readonly Cell[]): string {
  const panels = worlds.map((world, index) => panel(world, PANEL.left + index * (PANEL.width + PANEL.gap), cells));
  const legend = lines.map((line) => legendItem(line, legendLefts[line]));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="12" role="img">`,
    "<title>Snapshots saved before the node prunes them, by the order in which they are read</title>",
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="#ffffff"/>`,
    `<text x="${PANEL.left}" y="24" font-size="15" font-weight="bold" fill="#222">Share of the wanted snapshots saved, by load</text>`,
    ...panels,
    `<text x="${WIDTH / 2}" y="${PANEL.top + PANEL.height + 38}" text-anchor="middle" fill="#444">load: time to read everything ÷ time until everything is pruned</text>`,
    ...legend,
    "</svg>",
    "",
  ].join("\n");
}

function panel(world: WorldKind, left: number, cells: readonly Cell[]): string {
  const here = cells.filter((cell) => cell.world === world);
  const loads = [...new Set(here.map(({ load }) => load))].sort((a, b) => a - b);
  const [first, last] = [Math.log(loads[0] as number), Math.log(loads.at(-1) as number)];
  const x = (load: number): number => left + ((Math.log(load) - first) / (last - first)) * PANEL.width;
  const y = (share: number): number => PANEL.top + (1 - share) * PANEL.height;
  const parts = [`<text x="${left + PANEL.width / 2}" y="${PANEL.top - 12}" text-anchor="middle" fill="#222">${titles[world]}</text>`];
  for (const share of [0, 0.25, 0.5, 0.75, 1]) {
    parts.push(`<line x1="${left}" x2="${left + PANEL.width}" y1="${y(share)}" y2="${y(share)}" stroke="#e3e3e3"/>`);
    parts.push(`<text x="${left - 8}" y="${y(share) + 4}" text-anchor="end" fill="#666">${share * 100} %</text>`);
  }
  for (const load of loads.filter((load) => [0.5, 1, 2, 4].includes(load))) {
    parts.push(`<text x="${round(x(load))}" y="${PANEL.top + PANEL.height + 17}" text-anchor="middle" fill="#666">${load}</text>`);
  }
  for (const order of [...lines].reverse()) {
    const points = here.filter((cell) => cell.order === order).map(({ load, saved }) => `${round(x(load))},${round(y(saved))}`);
    parts.push(
      `<polyline points="${points.join(" ")}" fill="none" stroke="${colours[order]}" stroke-width="${widths[order]}" stroke-dasharray="${dashes[order]}"/>`,
    );
  }
  return parts.join("\n");
}

function legendItem(order: Line, left: number): string {
  const y = HEIGHT - 14;
  return (
    `<line x1="${left}" x2="${left + 34}" y1="${y - 4}" y2="${y - 4}" stroke="${colours[order]}" stroke-width="${widths[order]}" stroke-dasharray="${dashes[order]}"/>` +
    `<text x="${left + 42}" y="${y}" fill="#222">${names[order]}</text>`
  );
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
