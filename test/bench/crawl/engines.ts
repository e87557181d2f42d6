import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { manyAccounts } from "../../../sim/index.ts";
import { removeCopies } from "../../support/postgres/binaries.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";
import { describeMachine } from "../machine.ts";
import { type Cost, launcher, measureProcess, packedLauncher } from "../process-cost.ts";
import { benchServer, serverCpuMs } from "../server-cost.ts";

/**
 * The same work on an SQLite file and on PostgreSQL 18, whole processes in turns, so that a loaded machine weighs on both alike: a
 * first crawl of distinct modules, and a quiet night. Needs no server of its own.
 *
 *     npx node test/bench/crawl/engines.ts [--accounts 3000] [--quiet 10000] [--rounds 3] [--packed]
 *
 * The server has PostgreSQL's own defaults, fsync included. What it uses of the processors is counted by itself: the ticks of the
 * postmaster, of the processes that it has, and of those that it had.
 */
const { values } = parseArgs({
  options: {
    accounts: { type: "string", default: "3000" },
    quiet: { type: "string", default: "10000" },
    rounds: { type: "string", default: "3" },
    packed: { type: "boolean", default: false },
  },
});
const MODULES_EACH = "4";
const CONCURRENCY = "16";
const rounds = Number(values.rounds);
const local = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
using directory = temporaryDirectory();
using place = temporaryDirectory();
const program = values.packed ? packedLauncher(place.path) : launcher;

const server = await benchServer({ fsync: "on" });

/** A measured process, and what the server used of the processors for it. */
type Both = Cost & { readonly serverMs: number };
type Pair = { readonly sqlite: Both[]; readonly postgresql: Both[] };
const none = (): Pair => ({ sqlite: [], postgresql: [] });
const databases = (name: string) => ({
  sqlite: directory.file(`${name}.db`),
  postgresql: `postgres://postgres@127.0.0.1:${server.port}/postgres?schema=${name}`,
});

async function measure(...args: readonly string[]): Promise<Both> {
  const before = serverCpuMs(server);
  const cost = await measureProcess(...args);
  return { ...cost, serverMs: serverCpuMs(server) - before };
}

/** A simulated node in a process of its own. */
async function startNode(...args: readonly string[]) {
  const child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const line = async (): Promise<string> => (await lines.next()).value as string;
  const { url } = JSON.parse(await line()) as { url: string };
  return {
    url,
    line,
    advance: async () => {
      child.stdin.write("advance 1000\n");
      await line();
    },
    end: () => child.stdin.end(),
  };
}

const sync = (url: string, db: string, targets: string): string[] => {
  const node = ["--rpc", url, "--rate", "0", "--concurrency", CONCURRENCY];
  return [program, "sync", ...node, "--db", db, "--targets", targets];
};

async function firstCrawls(): Promise<Pair> {
  const costs = none();
  const node = await startNode(local("real-modules-node.ts"), values.accounts, MODULES_EACH);
  const targets = directory.file("distinct.txt");
  writeFileSync(targets, (await node.line()).split(" ").join("\n"));
  // Every answer of the node is made once before anything is measured.
  await measureProcess(...sync(node.url, databases("warm").sqlite, targets));
  for (let round = 1; round <= rounds; round++) {
    const { sqlite, postgresql } = databases(`first_${round}`);
    costs.sqlite.push(await measure(...sync(node.url, sqlite, targets)));
    costs.postgresql.push(await measure(...sync(node.url, postgresql, targets)));
  }
  node.end();
  return costs;
}

async function quietNights(): Promise<Pair> {
  const costs = none();
  const node = await startNode(local("../../../sim/main.ts"), "--accounts", values.quiet);
  const targets = directory.file("many.txt");
  writeFileSync(targets, [...manyAccounts(Number(values.quiet)).addresses()].join("\n"));
  const { sqlite, postgresql } = databases("quiet");
  for (const db of [sqlite, postgresql]) await measureProcess(...sync(node.url, db, targets));
  for (let round = 1; round <= rounds; round++) {
    await node.advance();
    costs.sqlite.push(await measure(...sync(node.url, sqlite, targets)));
    costs.postgresql.push(await measure(...sync(node.url, postgresql, targets)));
  }
  node.end();
  return costs;
}

const median = (list: readonly number[]): number => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)] ?? Number.NaN;
const seconds = (ms: number): string => (ms / 1000).toFixed(2);
const rows = (name: string, { sqlite, postgresql }: Pair): string[] => {
  const ratio = (of: (cost: Both) => number): string =>
    postgresql.map((cost, i) => (of(cost) / of(sqlite[i] as Both)).toFixed(2)).join(", ");
  const row = (engine: string, list: readonly Both[], ...ratios: readonly string[]): string => {
    const figures = [({ ms }: Both) => ms, ({ cpuMs }: Both) => cpuMs, ({ serverMs }: Both) => serverMs].map((of) =>
      seconds(median(list.map(of))),
    );
    return `| ${[name, engine, ...figures, ...ratios, Math.max(...list.map(({ peakMb }) => peakMb)).toFixed(0)].join(" | ")} |`;
  };
  return [
    row("SQLite", sqlite, "", ""),
    row(
      "PostgreSQL 18",
      postgresql,
      ratio(({ ms }) => ms),
      ratio(({ cpuMs, serverMs }) => cpuMs + serverMs),
    ),
  ];
};

try {
  const crawls = values.accounts === "0" ? [] : rows("first crawl", await firstCrawls());
  const nights = values.quiet === "0" ? [] : rows("quiet night", await quietNights());
  const text = [
    `${describeMachine()}; first crawl: ${values.accounts} accounts × ${MODULES_EACH} distinct modules, quiet night: ${values.quiet} accounts × 3 modules; ${CONCURRENCY} requests at once, ${rounds} rounds in turns; the program is ${values.packed ? "JavaScript, as packed" : "its TypeScript sources"}.`,
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
