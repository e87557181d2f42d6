import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { readReleases } from "../../support/recorded-releases.ts";
import type { CadenceCell } from "./chart.ts";
import { choosers, play } from "./play.ts";
import { measuredRates, type World, zipfRates } from "./world.ts";

// npx node test/bench/cadence/simulation.ts test/bench/cadence: plays the nights and writes what came of them to cadence.json there.
// Needs the recorded releases in ../shared/data. The chart is drawn from the file by npm run docs.
const ACCOUNTS = 1000;
const NIGHTS = 260;
const WARM_UP = 100;
const BUDGETS = [0.05, 0.1, 0.15, 0.25, 0.35, 0.5, 0.75, 1];

const data = fileURLToPath(new URL("../../../../shared/data/framework-history", import.meta.url));
const [directory] = process.argv.slice(2);
if (directory === undefined || !existsSync(data))
  throw new Error("wanted a directory to write to, and the recorded releases in ../shared/data");
const worlds: readonly World[] = [
  { name: "measured", rates: measuredRates(readReleases(data), ACCOUNTS, 1) },
  { name: "zipf", rates: zipfRates(ACCOUNTS, 60, 2) },
];
const cells: CadenceCell[] = [];
for (const { name, rates } of worlds) {
  for (const budget of BUDGETS) {
    for (const chooser of choosers) {
      const { withinDay, noticed, changes } = play(rates, budget, chooser, NIGHTS, WARM_UP, 7);
      cells.push({ world: name, budget, chooser, withinDay: rounded(withinDay), noticed: rounded(noticed), changes });
      process.stdout.write(
        `${name} ${budget} ${chooser}: ${rounded(withinDay)} within a day, ${rounded(noticed)} noticed, of ${changes}\n`,
      );
    }
  }
}
writeFileSync(join(directory, "cadence.json"), `${JSON.stringify({ accounts: ACCOUNTS, nights: NIGHTS - WARM_UP, cells }, null, 1)}\n`);

function rounded(share: number): number {
  return Math.round(share * 1000) / 1000;
}
