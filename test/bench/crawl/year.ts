import { statSync } from "node:fs";
import { parseArgs } from "node:util";
import { liveYear, type NightRecord } from "../../support/year/live-year.ts";
import { describeMachine } from "../machine.ts";

/**
 * A simulated year at any size, and whether its nights grow dearer: `npx node test/bench/crawl/year.ts --weeks 52 --accounts 200`.
 * What is held, inferred and missing is checked by test/flow/night/year.long.test.ts.
 */
const { values } = parseArgs({
  options: {
    weeks: { type: "string", default: "52" },
    accounts: { type: "string", default: "50" },
    seed: { type: "string", default: "5" },
  },
});
using year = await liveYear({ weeks: Number(values.weeks), accounts: Number(values.accounts), seed: Number(values.seed) });

const cpuOf = (records: readonly NightRecord[]): string => {
  const sorted = records
    .filter(({ kind }) => kind === "night")
    .map(({ cpuMs }) => cpuMs)
    .sort((a, b) => a - b);
  return `${(sorted[Math.floor(sorted.length / 2)] ?? Number.NaN).toFixed(0)} ms`;
};
const ofFirst = year.records.filter(({ database }) => database === year.databases[0]);
const third = Math.floor(ofFirst.length / 3);
process.stdout.write(
  `${describeMachine()}\n${year.records.length} nights, ${values.accounts} accounts, ${year.ledgers[0].changes.length} changes on the first chain\n` +
    `processor time of a night, median: first third ${cpuOf(ofFirst.slice(0, third))}, last third ${cpuOf(ofFirst.slice(-third))}\n` +
    `exit codes: ${[...Map.groupBy(year.records, ({ result }) => result.code)].map(([code, list]) => `${code} × ${list.length}`).join(", ")}\n` +
    `databases: ${year.databases.map((path) => `${statSync(path, { throwIfNoEntry: false })?.size ?? 0} bytes`).join(", ")}\n`,
);
