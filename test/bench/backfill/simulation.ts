// Compares the order in which backfill reads with simpler ones, in simulated time; prints a table and, with a directory
// as argument, writes backfill.json there, from which `npm run docs` draws docs/backfill.svg:
//   npx node test/bench/backfill/simulation.ts test/bench/backfill && npm run docs
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { jsonRows } from "../rows.ts";
import type { Cell } from "./chart.ts";
import { type Order, type Outcome, orders, simulate } from "./orders.ts";
import { makeWorld, mostThatCanBeSaved, WANTED, worlds } from "./world.ts";

const loads = [0.5, 0.65, 0.8, 0.9, 1, 1.1, 1.25, 1.5, 2, 2.5, 3, 4];
const SEEDS = 10;
const seeds = Array.from({ length: SEEDS }, (_, index) => index + 1);
/** Runs in which another order saved more, or saved as much and sealed what backfill's own left half read. */
const bested: Record<string, number> = {};
const share = (counts: readonly number[]): number => counts.reduce((sum, count) => sum + count, 0) / SEEDS / WANTED;

const cells: Cell[] = worlds.flatMap((world) =>
  loads.flatMap((load): Cell[] => {
    const outcomes = orders.map((order) => seeds.map((seed) => simulate({ order, world, load, seed })));
    const [own = [], ...others] = outcomes;
    const isBested = own.map((mine, run) => others.some((other) => isBetter(other[run] as Outcome, mine)));
    bested[world] = (bested[world] ?? 0) + isBested.filter(Boolean).length;
    const bound = share(seeds.map((seed) => mostThatCanBeSaved(makeWorld(world, load, seed))));
    return [
      { world, load, order: "bound", saved: bound, halfRead: 0 },
      ...outcomes.map((runs, index) => ({
        world,
        load,
        order: orders[index] as Order,
        saved: share(runs.map(({ saved }) => saved.length)),
        halfRead: share(runs.map(({ halfRead }) => halfRead.length)),
      })),
    ];
  }),
);

function isBetter(other: Outcome, own: Outcome): boolean {
  if (other.saved.length !== own.saved.length) return other.saved.length > own.saved.length;
  return own.halfRead.some(({ version }) => other.saved.includes(version));
}

const percent = (part: number): string => (part * 100).toFixed(1);
process.stdout.write(
  `Saved, and begun in vain, of ${WANTED} snapshots, in percent, over ${SEEDS} seeds; bound: what nobody can exceed\n\n` +
    `| world | load | bound |${orders.map((order) => ` ${order} |`).join("")}\n|---|---|---|${orders.map(() => "---|").join("")}\n`,
);
for (const world of worlds) {
  for (const load of loads) {
    const row = cells.filter((cell) => cell.world === world && cell.load === load);
    const words = row.map(({ order, saved, halfRead }) =>
      order === "bound" || halfRead === 0 ? percent(saved) : `${percent(saved)} (${percent(halfRead)})`,
    );
    process.stdout.write(`| ${world} | ${load} | ${words.join(" | ")} |\n`);
  }
}

const counts = worlds.map((world) => `${world} ${bested[world]}`).join(", ");
process.stdout.write(`\nRuns, of ${loads.length * SEEDS} each, in which another order did better than deadline: ${counts}\n`);

const directory = process.argv[2];
if (directory !== undefined) {
  writeFileSync(join(directory, "backfill.json"), jsonRows({ wanted: WANTED, seeds: SEEDS }, cells));
}
