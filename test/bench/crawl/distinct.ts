import { spawn } from "node:child_process";
import { statSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { temporaryDirectory } from "../../support/temporary-directory.ts";
import { describeMachine } from "../machine.ts";
import { type Cost, launcher, measureProcess, packedLauncher } from "../process-cost.ts";

/**
 * A first crawl and a quiet night of accounts that each hold code of their own, of real size, beside a crawl on the official
 * SDK and a bare HTTP loop: whole processes against one node, in turns, so that a loaded machine weighs on all alike.
 *
 *     npx node test/bench/crawl/distinct.ts [--accounts 3000] [--modules 4] [--rounds 3] [--concurrency 16] [--packed]
 *
 * With `--packed` the program is what users have: JavaScript. Without, Node strips the types of its sources in each thread first.
 */
const { values } = parseArgs({
  options: {
    accounts: { type: "string", default: "3000" },
    modules: { type: "string", default: "4" },
    rounds: { type: "string", default: "3" },
    concurrency: { type: "string", default: "16" },
    packed: { type: "boolean", default: false },
  },
});
const { concurrency } = values;
const rounds = Number(values.rounds);
const local = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
using directory = temporaryDirectory();
using place = temporaryDirectory();
const program = values.packed ? packedLauncher(place.path) : launcher;

const sim = spawn(process.execPath, [local("real-modules-node.ts"), values.accounts, values.modules], {
  stdio: ["pipe", "pipe", "inherit"],
});
const lines = createInterface({ input: sim.stdout })[Symbol.asyncIterator]();
const line = async (): Promise<string> => (await lines.next()).value as string;
const { url, head } = JSON.parse(await line()) as { url: string; head: string };
const targets = directory.file("targets.txt");
writeFileSync(targets, (await line()).split(" ").join("\n"));
const advance = async (): Promise<void> => {
  sim.stdin.write("advance 1000\n");
  await line();
};

const sync = (db: string): string[] => {
  const node = ["--rpc", url, "--rate", "0", "--concurrency", concurrency];
  return [program, "sync", ...node, "--db", db, "--targets", targets];
};
const bare = [local("bare-loop.ts"), url, head, targets, concurrency];
const sdk = (round: number): string[] => [local("sdk-crawl.ts"), url, targets, directory.file(`sdk-${round}.db`), concurrency];

const costs: Record<"bare" | "first" | "quiet" | "sdk", Cost[]> = { bare: [], first: [], quiet: [], sdk: [] };
const sizes: string[] = [];
// Every answer of the node is made once before anything is measured, in each of the forms that the three ask for: JSON, and BCS as brotli and gzip.
await measureProcess(...bare);
await measureProcess(...sdk(0));
await measureProcess(...sync(directory.file("0.db")));
for (let round = 1; round <= rounds; round++) {
  const db = directory.file(`${round}.db`);
  costs.first.push(await measureProcess(...sync(db)));
  costs.sdk.push(await measureProcess(...sdk(round)));
  const before = statSync(db).size;
  await advance();
  costs.quiet.push(await measureProcess(...sync(db)));
  costs.bare.push(await measureProcess(...bare));
  const after = statSync(db).size;
  await advance();
  await measureProcess(...sync(db));
  sizes.push(`${(before / 1e6).toFixed(0)} MB, ${after - before} bytes more, ${statSync(db).size - after} bytes more`);
}
sim.stdin.end();

const median = (list: readonly number[]): number => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)] ?? Number.NaN;
const seconds = (ms: number): string => (ms / 1000).toFixed(2);
const row = (name: string, list: readonly Cost[], beside: readonly Cost[]): string => {
  const ratio = (of: (cost: Cost) => number): string => list.map((cost, i) => (of(cost) / of(beside[i] as Cost)).toFixed(2)).join(", ");
  const cells = [name, seconds(median(list.map(({ ms }) => ms))), seconds(median(list.map(({ cpuMs }) => cpuMs)))];
  return `| ${[...cells, ratio(({ ms }) => ms), ratio(({ cpuMs }) => cpuMs), Math.max(...list.map(({ peakMb }) => peakMb)).toFixed(0)].join(" | ")} |`;
};
const text = [
  `${describeMachine()}; ${values.accounts} accounts × ${values.modules} distinct modules, ${concurrency} requests at once, ${rounds} rounds in turns.`,
  "",
  "| whole process | s | CPU s | wall × | CPU × | peak MB |",
  "|---|---|---|---|---|---|",
  row("movedex, first crawl, × the SDK script", costs.first, costs.sdk),
  row("official SDK + better-sqlite3, JSON rows", costs.sdk, costs.sdk),
  row("movedex, quiet night, × the bare loop", costs.quiet, costs.bare),
  row("bare undici loop, bodies thrown away", costs.bare, costs.bare),
  "",
  `The program is ${values.packed ? "JavaScript, as packed" : "its TypeScript sources"}. Database after the first crawl, growth in the quiet night, and in another: ${sizes.join("; ")}.`,
];
process.stdout.write(`${text.join("\n")}\n`);
