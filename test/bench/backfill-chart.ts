import { type HorizonKind, horizons, type Order, orders } from "./backfill-orders.ts";

/** The share of snapshots saved, from 0 to 1, for one order, horizon and load. */
export type Cell = {
  readonly order: Order;
  readonly horizon: HorizonKind;
  readonly load: number;
  readonly saved: number;
  readonly halfRead: number;
};

const WIDTH = 960;
const HEIGHT = 330;
const PANEL = { width: 250, height: 190, top: 62, left: 58, gap: 50 };
const colours: Record<Order, string> = { deadline: "#0b6e4f", oldest: "#c0392b", newest: "#2c6fbb", random: "#8a6d3b" };
const dashes: Record<Order, string> = { deadline: "", oldest: "2 3", newest: "7 4", random: "7 3 2 3" };
const names: Record<Order, string> = {
  deadline: "movedex: what can be saved, by deadline",
  oldest: "oldest first",
  newest: "newest first",
  random: "random",
};
const titles: Record<HorizonKind, string> = {
  steady: "horizon rises evenly",
  batches: "in hourly batches",
  leaps: "in batches, with two leaps",
};

/** The chart as SVG text: a panel for each horizon, a line for each order. */
export function drawChart(cells: readonly Cell[]): string {
  const panels = horizons.map((horizon, index) => panel(horizon, PANEL.left + index * (PANEL.width + PANEL.gap), cells));
  const legend = orders.map((order, index) => legendItem(order, [58, 388, 548, 708][index] as number));
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

function panel(horizon: HorizonKind, left: number, cells: readonly Cell[]): string {
  const here = cells.filter((cell) => cell.horizon === horizon);
  const loads = [...new Set(here.map(({ load }) => load))].sort((a, b) => a - b);
  const [first, last] = [Math.log(loads[0] as number), Math.log(loads.at(-1) as number)];
  const x = (load: number): number => left + ((Math.log(load) - first) / (last - first)) * PANEL.width;
  const y = (share: number): number => PANEL.top + (1 - share) * PANEL.height;
  const parts = [`<text x="${left + PANEL.width / 2}" y="${PANEL.top - 12}" text-anchor="middle" fill="#222">${titles[horizon]}</text>`];
  for (const share of [0, 0.25, 0.5, 0.75, 1]) {
    parts.push(`<line x1="${left}" x2="${left + PANEL.width}" y1="${y(share)}" y2="${y(share)}" stroke="#e3e3e3"/>`);
    parts.push(`<text x="${left - 8}" y="${y(share) + 4}" text-anchor="end" fill="#666">${share * 100} %</text>`);
  }
  for (const load of loads.filter((load) => [0.5, 1, 2, 4].includes(load))) {
    parts.push(`<text x="${round(x(load))}" y="${PANEL.top + PANEL.height + 17}" text-anchor="middle" fill="#666">${load}</text>`);
  }
  for (const order of [...orders].reverse()) {
    const points = here.filter((cell) => cell.order === order).map(({ load, saved }) => `${round(x(load))},${round(y(saved))}`);
    parts.push(
      `<polyline points="${points.join(" ")}" fill="none" stroke="${colours[order]}" stroke-width="${order === "deadline" ? 3 : 2}" stroke-dasharray="${dashes[order]}"/>`,
    );
  }
  return parts.join("\n");
}

function legendItem(order: Order, left: number): string {
  const y = HEIGHT - 14;
  return (
    `<line x1="${left}" x2="${left + 34}" y1="${y - 4}" y2="${y - 4}" stroke="${colours[order]}" stroke-width="3" stroke-dasharray="${dashes[order]}"/>` +
    `<text x="${left + 42}" y="${y}" fill="#222">${names[order]}</text>`
  );
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
