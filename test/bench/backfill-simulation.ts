// Compares the order in which backfill reads with simpler ones, in simulated time; prints a table and, with a directory
// as argument, writes backfill.json and backfill.svg there:
//   npx node test/bench/backfill-simulation.ts test/bench
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Cell, drawChart } from "./backfill-chart.ts";
import { horizons, orders, simulate, WANTED } from "./backfill-orders.ts";

const loads = [0.5, 0.65, 0.8, 1, 1.25, 1.5, 2, 2.5, 3, 4];
const SEEDS = 10;

const cells: Cell[] = [];
for (const horizon of horizons) {
  for (const load of loads) {
    for (const order of orders) {
      const outcomes = Array.from({ length: SEEDS }, (_, index) => simulate({ order, horizon, load, seed: index + 1 }));
      const mean = (count: (outcome: (typeof outcomes)[number]) => number): number =>
        outcomes.reduce((sum, outcome) => sum + count(outcome), 0) / SEEDS / WANTED;
      cells.push({ order, horizon, load, saved: mean(({ saved }) => saved), halfRead: mean(({ halfRead }) => halfRead) });
    }
  }
}

const percent = (share: number): string => `${(share * 100).toFixed(1)}`.padStart(6);
process.stdout.write(
  `Saved, and begun in vain, of ${WANTED} snapshots, in percent, over ${SEEDS} seeds\n\n| horizon | load |${orders.map((order) => ` ${order} |`).join("")}\n|---|---|${orders.map(() => "---|").join("")}\n`,
);
for (const horizon of horizons) {
  for (const load of loads) {
    const row = orders.map((order) => cells.find((cell) => cell.horizon === horizon && cell.load === load && cell.order === order) as Cell);
    process.stdout.write(
      `| ${horizon} | ${load} |${row.map(({ saved, halfRead }) => `${percent(saved)} (${percent(halfRead).trim()}) |`).join("")}\n`,
    );
  }
}

const directory = process.argv[2];
if (directory !== undefined) {
  writeFileSync(join(directory, "backfill.json"), `${JSON.stringify({ wanted: WANTED, seeds: SEEDS, cells }, undefined, 2)}\n`);
  writeFileSync(join(directory, "backfill.svg"), drawChart(cells));
}
