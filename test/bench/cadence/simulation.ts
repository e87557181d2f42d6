import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { readReleases } from "../../support/recorded-releases.ts";
import { jsonRows } from "../rows.ts";
import type { CadenceCell } from "./chart.ts";
import { PERIODS, play, played } from "./play.ts";
import { measuredRates, type World, zipfRates } from "./world.ts";

// npx node test/bench/cadence/simulation.ts test/bench/cadence: plays the nights and writes what came of them to cadence.json there.
// Needs the recorded releases in ../shared/data. The chart is drawn from the file by npm run docs.
// Without a directory it only prints, and more nights may be played: `--from 600 --to 900 --budgets 0.05,0.35,0.5`.
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { from: { type: "string" }, to: { type: "string" }, budgets: { type: "string" } },
});
const ACCOUNTS = 1000;
const NIGHTS = Number(values.to ?? PERIODS.at(-1));
/** Nights that do not count. */
const WARM_UP = Number(values.from ?? 100);
const BUDGETS = values.budgets?.split(",").map(Number) ?? [0.05, 0.1, 0.15, 0.25, 0.35, 0.5, 0.75, 1];
/** Each cell is the mean of as many plays. */
const SEEDS = [7, 8, 9];

const data = fileURLToPath(new URL("../../../../shared/data/framework-history", import.meta.url));
const [directory] = positionals;
if (!existsSync(data)) throw new Error("wanted the recorded releases in ../shared/data");
if (directory !== undefined && Object.keys(values).length > 0) throw new Error("the chart is of all budgets and of its own nights");
const worlds: readonly World[] = [
  { name: "measured", rates: measuredRates(readReleases(data), ACCOUNTS, 1) },
  { name: "zipf", rates: zipfRates(ACCOUNTS, 60, 2) },
];
const cells: CadenceCell[] = [];
for (const { name, rates } of worlds) {
  for (const budget of BUDGETS) {
    for (const chooser of played) {
      const outcomes = SEEDS.map((seed) => play(rates, budget, chooser, NIGHTS, WARM_UP, seed));
      const [withinDay, noticed] = [mean(outcomes.map((one) => one.withinDay)), mean(outcomes.map((one) => one.noticed))];
      const byPeriod = PERIODS.map((_, period) => mean(outcomes.map((one) => one.byPeriod[period] as number)));
      const changes = outcomes.reduce((sum, one) => sum + one.changes, 0);
      cells.push({ world: name, budget, chooser, withinDay, noticed, changes, byPeriod });
      process.stdout.write(
        `${name} ${budget} ${chooser}: ${withinDay} within a day (${byPeriod.join(", ")}), ${noticed} noticed, of ${changes}\n`,
      );
    }
  }
}
const facts = { accounts: ACCOUNTS, nights: NIGHTS - WARM_UP, plays: SEEDS.length, periods: PERIODS };
if (directory !== undefined) writeFileSync(join(directory, "cadence.json"), jsonRows(facts, cells));

/** To three places. */
function mean(shares: readonly number[]): number {
  return Math.round((1000 * shares.reduce((sum, share) => sum + share, 0)) / shares.length) / 1000;
}
