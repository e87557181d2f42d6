import { statSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { manyAccounts } from "../../../sim/index.ts";
import { removeCopies } from "../../support/postgres/binaries.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";
import { benchServer, type Cost, describeMachine, launcher, measureProcess, median, packedLauncher, serverCpuMs } from "../process-cost.ts";
import { startDistinct, startNode } from "./node-process.ts";

/**
 * A first crawl and a quiet night of accounts that each hold code of their own, of real size, beside a crawl on the official
 * SDK and a bare HTTP loop: whole processes against one node, in turns, so that a loaded machine weighs on all alike.
 *
 *     npx node test/bench/crawl/distinct.ts [--accounts 3000] [--modules 4] [--rounds 3] [--concurrency 16] [--packed] [--rewritten]
 *
 * What the modules use of the framework is at 0x1; with `--rewritten`, which is harder, it is at each account itself.
 * With `--packed` the program is what users have: JavaScript. Without, Node strips the types of its sources in each thread first.
 *
 * With `--postgres` the first crawl is made on an SQLite file and on PostgreSQL 18 in turns, and so is a quiet night of `--quiet` accounts
 * with 3 modules. The server is the bench's own, with PostgreSQL's defaults, fsync included; the ticks of all its processes are counted.
 */
const { values } = parseArgs({
  options: {
    accounts: { type: "string", default: "3000" },
    modules: { type: "string", default: "4" },
    rounds: { type: "string", default: "3" },
    concurrency: { type: "string", default: "16" },
    packed: { type: "boolean", default: false },
    rewritten: { type: "boolean", default: false },
    postgres: { type: "boolean", default: false },
    quiet: { type: "string", default: "10000" },
  },
});
const { concurrency } = values;
const rounds = Number(values.rounds);
const local = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
using directory = temporaryDirectory();
using place = temporaryDirectory();
const program = values.packed ? packedLauncher(place.path) : launcher;
const told = `${concurrency} requests at once, ${rounds} rounds in turns; the program is ${values.packed ? "JavaScript, as packed" : "its TypeScript sources"}.`;

const targets = directory.file("targets.txt");
const startBench = () => startDistinct(targets, [values.accounts, values.modules, values.rewritten ? "rewritten" : ""]);

const sync = (url: string, db: string): string[] => {
  const node = ["--rpc", url, "--rate", "0", "--concurrency", concurrency];
  return [program, "sync", ...node, "--db", db, "--targets", targets];
};

const seconds = <C>(list: readonly C[], of: (cost: C) => number): string => (median(list.map(of)) / 1000).toFixed(2);
const ratios = <C>(list: readonly C[], beside: readonly C[], of: (cost: C) => number): string =>
  list.map((cost, i) => (of(cost) / of(beside[i] as C)).toFixed(2)).join(", ");
const peak = (list: readonly Cost[]): string => Math.max(...list.map(({ peakMb }) => peakMb)).toFixed(0);
const wall = ({ ms }: Cost): number => ms;
const processor = ({ cpuMs }: Cost): number => cpuMs;

if (values.postgres) await benchEngines();
else await benchBeside();

async function benchBeside(): Promise<void> {
  const node = await startBench();
  const crawl = (db: string): string[] => sync(node.url, db);
  const bare = [local("bare-loop.ts"), node.url, node.head, targets, concurrency];
  const sdk = (round: number): string[] => [local("sdk-crawl.ts"), node.url, targets, directory.file(`sdk-${round}.db`), concurrency];
  const costs: Record<"bare" | "first" | "quiet" | "sdk", Cost[]> = { bare: [], first: [], quiet: [], sdk: [] };
  const sizes: string[] = [];
  // Warms the node up: every answer is made once in each form that the three request: JSON, and BCS as brotli and gzip.
  await measureProcess(...bare);
  await measureProcess(...sdk(0));
  await measureProcess(...crawl(directory.file("0.db")));
  for (let round = 1; round <= rounds; round++) {
    const db = directory.file(`${round}.db`);
    costs.first.push(await measureProcess(...crawl(db)));
    costs.sdk.push(await measureProcess(...sdk(round)));
    const before = statSync(db).size;
    await node.tell("advance");
    costs.quiet.push(await measureProcess(...crawl(db)));
    costs.bare.push(await measureProcess(...bare));
    const after = statSync(db).size;
    await node.tell("advance");
    await measureProcess(...crawl(db));
    sizes.push(`${(before / 1e6).toFixed(0)} MB, ${after - before} bytes more, ${statSync(db).size - after} bytes more`);
  }
  node.end();
  const row = (name: string, list: readonly Cost[], beside: readonly Cost[]): string =>
    `| ${[name, seconds(list, wall), seconds(list, processor), ratios(list, beside, wall), ratios(list, beside, processor), peak(list)].join(" | ")} |`;
  const text = [
    `${describeMachine()}; ${values.accounts} accounts × ${values.modules} distinct modules, ${told}`,
    "",
    "| whole process | s | CPU s | wall × | CPU × | peak MB |",
    "|---|---|---|---|---|---|",
    row("movedex, first crawl, × the SDK script", costs.first, costs.sdk),
    row("official SDK + better-sqlite3, JSON rows", costs.sdk, costs.sdk),
    row("movedex, quiet night, × the bare loop", costs.quiet, costs.bare),
    row("bare undici loop, bodies thrown away", costs.bare, costs.bare),
    "",
    `Database after the first crawl, growth in the quiet night, and in another: ${sizes.join("; ")}.`,
  ];
  process.stdout.write(`${text.join("\n")}\n`);
}

/** A measured process, and what the server used of the processors for it. */
type Both = Cost & { readonly serverMs: number };
type Pair = { readonly sqlite: Both[]; readonly postgresql: Both[] };

async function benchEngines(): Promise<void> {
  const server = await benchServer({ fsync: "on" });
  const databases = (name: string) => ({
    sqlite: directory.file(`${name}.db`),
    postgresql: `postgres://postgres@127.0.0.1:${server.port}/postgres?schema=${name}`,
  });
  /** Measures one round on each engine. */
  const measure = async (costs: Pair, url: string, of: ReturnType<typeof databases>): Promise<void> => {
    for (const engine of ["sqlite", "postgresql"] as const) {
      const before = serverCpuMs(server);
      const cost = await measureProcess(...sync(url, of[engine]));
      costs[engine].push({ ...cost, serverMs: serverCpuMs(server) - before });
    }
  };
  const firstCrawls = async (): Promise<Pair> => {
    const costs: Pair = { sqlite: [], postgresql: [] };
    const node = await startBench();
    // Every answer of the node is made once before anything is measured.
    await measureProcess(...sync(node.url, databases("warm").sqlite));
    for (let round = 1; round <= rounds; round++) await measure(costs, node.url, databases(`first_${round}`));
    node.end();
    return costs;
  };
  const quietNights = async (): Promise<Pair> => {
    const costs: Pair = { sqlite: [], postgresql: [] };
    const node = await startNode("../../../sim/main.ts", "--accounts", values.quiet);
    writeFileSync(targets, [...manyAccounts(Number(values.quiet)).addresses()].join("\n"));
    const both = databases("quiet");
    for (const db of Object.values(both)) await measureProcess(...sync(node.url, db));
    for (let round = 1; round <= rounds; round++) {
      await node.tell("advance");
      await measure(costs, node.url, both);
    }
    node.end();
    return costs;
  };
  const rows = (name: string, { sqlite, postgresql }: Pair): string[] => {
    const row = (engine: string, list: readonly Both[], ...beside: readonly string[]): string =>
      `| ${[name, engine, seconds(list, wall), seconds(list, processor), seconds(list, ({ serverMs }) => serverMs), ...beside, peak(list)].join(" | ")} |`;
    const both = ({ cpuMs, serverMs }: Both): number => cpuMs + serverMs;
    return [
      row("SQLite", sqlite, "", ""),
      row("PostgreSQL 18", postgresql, ratios(postgresql, sqlite, wall), ratios(postgresql, sqlite, both)),
    ];
  };
  try {
    const crawls = values.accounts === "0" ? [] : rows("first crawl", await firstCrawls());
    const nights = values.quiet === "0" ? [] : rows("quiet night", await quietNights());
    const text = [
      `${describeMachine()}; first crawl: ${values.accounts} accounts × ${values.modules} distinct modules, quiet night: ${values.quiet} accounts × 3 modules; ${told}`,
      "",
      "| whole process | engine | s | CPU s | server's CPU s | wall × | CPU × | peak MB |",
      "|---|---|---|---|---|---|---|---|",
      ...crawls,
      ...nights,
    ];
    process.stdout.write(`${text.join("\n")}\n`);
  } finally {
    await server.remove();
    removeCopies();
  }
}
