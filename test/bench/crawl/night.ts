import { spawn } from "node:child_process";
import { statSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { manyAccounts } from "../../../sim/index.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";
import { describeMachine } from "../machine.ts";
import { type Cost, launcher, measureProcess } from "../process-cost.ts";

/**
 * A first crawl and quiet nights, each a whole process, beside a bare HTTP loop that makes the same requests and throws the
 * bodies away, and beside a crawl on the official SDK. All against one simulated node in a process of its own, in turns.
 *
 *     npx node test/bench/crawl/night.ts [--accounts 5000] [--rounds 5] [--concurrency 8]
 */
const { values } = parseArgs({
  options: {
    accounts: { type: "string", default: "5000" },
    rounds: { type: "string", default: "5" },
    concurrency: { type: "string", default: "8" },
    "skip-sdk": { type: "boolean", default: false },
  },
});
const count = Number(values.accounts);
const rounds = Number(values.rounds);
const { concurrency } = values;

const local = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
using directory = temporaryDirectory();
const targets = directory.file("targets.txt");
writeFileSync(targets, [...manyAccounts(count).addresses()].join("\n"));

const sim = spawn(process.execPath, [local("../../../sim/main.ts"), "--accounts", values.accounts], {
  stdio: ["pipe", "pipe", "inherit"],
});
const answers = createInterface({ input: sim.stdout })[Symbol.asyncIterator]();
const answer = async (): Promise<Record<string, string | number>> => JSON.parse((await answers.next()).value as string);
const tell = async (line: string): Promise<Record<string, string | number>> => {
  sim.stdin.write(`${line}\n`);
  return answer();
};
const { url, head } = (await answer()) as { url: string; head: string };

const sync = (db: string): string[] => [
  launcher,
  "sync",
  "--rpc",
  url,
  "--db",
  db,
  "--rate",
  "0",
  "--concurrency",
  concurrency,
  "--targets",
  targets,
];
const bare = (version: string): string[] => [local("bare-loop.ts"), url, version, targets, concurrency];

const costs: Record<"bare" | "first" | "quiet" | "sdk", Cost[]> = { bare: [], first: [], quiet: [], sdk: [] };
const growth: number[] = [];
const kept = directory.file("kept.db");
await measureProcess(...sync(kept));
await measureProcess(...bare(head));
for (let round = 1; round <= rounds; round++) {
  costs.bare.push(await measureProcess(...bare(head)));
  costs.first.push(await measureProcess(...sync(directory.file(`first-${round}.db`))));
  if (!values["skip-sdk"])
    costs.sdk.push(await measureProcess(local("sdk-crawl.ts"), url, targets, directory.file(`sdk-${round}.db`), concurrency));
  await tell("advance 1000");
  const before = statSync(kept).size;
  costs.quiet.push(await measureProcess(...sync(kept)));
  growth.push(statSync(kept).size - before);
}
const { requests } = await tell("status");
sim.stdin.end();

const median = (list: readonly number[]): number => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)] ?? Number.NaN;
const row = (name: string, list: readonly Cost[]): string => {
  const ratios = list.map((cost, round) => cost.ms / (costs.bare[round] as Cost).ms);
  return `| ${name} | ${(median(list.map(({ ms }) => ms)) / 1000).toFixed(2)} | ${median(ratios).toFixed(2)} | ${Math.max(...list.map(({ peakMb }) => peakMb)).toFixed(0)} |`;
};
const lines = [
  `${describeMachine()}; ${count} accounts of 3 modules, ${concurrency} requests at once, medians of ${rounds} rounds in turns; ${requests} requests in all.`,
  "",
  "| whole process | s | × bare loop | peak MB |",
  "|---|---|---|---|",
  row("bare HTTP loop, bodies thrown away", costs.bare),
  row("movedex, first crawl", costs.first),
  row("movedex, quiet night", costs.quiet),
  ...(values["skip-sdk"] ? [] : [row("official SDK 6.3.1 + better-sqlite3, JSON rows", costs.sdk)]),
  "",
  `Database growth of the quiet nights: ${growth.join(", ")} bytes.`,
];
process.stdout.write(`${lines.join("\n")}\n`);
