// How much faster four workers on four nodes are than one on one, each node limited to the same rate, on one PostgreSQL database:
// requests a second from the first to the last request about an account, as the nodes see them, and the processor time of the workers
// and of the database for each such request, with all that comes before and after. Needs no server of its own.
//   npx node test/bench/crawl/workers.ts [accounts] [rate] [workers, default 1 4]
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { manyAccounts, startSimNode } from "../../../sim/index.ts";
import { findBinaries, removeCopies } from "../../support/postgres/binaries.ts";
import { startServer } from "../../support/postgres/server.ts";
import { describeMachine } from "../machine.ts";
import { launcher, measureProcess } from "../process-cost.ts";
import { serverCpuMs } from "../server-cost.ts";

const [accounts = 4_000, rate = 100, ...counts] = process.argv.slice(2).map(Number);
const many = manyAccounts(accounts);
const directory = mkdtempSync(join(tmpdir(), "movedex-bench-"));
const targets = join(directory, "targets.csv");
writeFileSync(targets, `address\n${[...many.addresses()].join("\n")}\n`);
const binaries = findBinaries(18);
if (typeof binaries === "string") throw new Error(binaries);
const server = await startServer(binaries);

type Crawl = { perSecond: number; requests: number; repeated: number; wallMs: number; workerCpuMs: number; databaseCpuMs: number };

async function crawl(workers: number): Promise<Crawl> {
  const name = `movedex_${workers}`;
  const database = `postgres://postgres@127.0.0.1:${server.port}/postgres?schema=${name}`;
  const nodes = await Promise.all(Array.from({ length: workers }, () => startSimNode({ ledger: many.ledger })));
  const startedMs = performance.now();
  const startedCpuMs = serverCpuMs(server);
  const ends = nodes.map(({ url }) => {
    const argv = [
      "sync",
      "--rpc",
      url,
      "--db",
      database,
      "--targets",
      targets,
      "--rate",
      `${rate}`,
      "--concurrency",
      "16",
      "--unless-within",
      "1h",
    ];
    return measureProcess(launcher, ...argv);
  });
  const costs = await Promise.all(ends);
  const wallMs = performance.now() - startedMs;
  const asked = nodes.flatMap(({ requests }) => requests).filter(({ path }) => path.includes("/accounts/"));
  const times = asked.map(({ at }) => at).sort((a, b) => a - b);
  const listings = asked.filter(({ path }) => path.endsWith("/modules"));
  for (const node of nodes) await node[Symbol.asyncDispose]();
  const seconds = ((times.at(-1) ?? 0) - (times[0] ?? 0)) / 1000;
  return {
    perSecond: asked.length / seconds,
    requests: asked.length,
    repeated: listings.length - new Set(listings.map(({ path }) => path)).size,
    wallMs,
    workerCpuMs: costs.reduce((sum, { cpuMs }) => sum + cpuMs, 0),
    databaseCpuMs: serverCpuMs(server) - startedCpuMs,
  };
}

console.log(`${describeMachine()}; ${accounts} accounts, each node ${rate} requests/s\n`);
console.log(
  "| workers | requests about accounts | fewest possible | read twice | requests/s | whole processes, s | CPU ms a request: workers | database |\n|---|---|---|---|---|---|---|---|",
);
const rates: number[] = [];
for (const workers of counts.length === 0 ? [1, 4] : counts) {
  const { perSecond, requests, repeated, wallMs, workerCpuMs, databaseCpuMs } = await crawl(workers);
  rates.push(perSecond);
  const cpu = [workerCpuMs, databaseCpuMs].map((ms) => (ms / requests).toFixed(2)).join(" | ");
  console.log(
    `| ${workers} | ${requests} | ${2 * accounts} | ${repeated} | ${perSecond.toFixed(1)} | ${(wallMs / 1000).toFixed(1)} | ${cpu} |`,
  );
}
if (rates.length > 1) console.log(`\nThe last against the first: ${((rates.at(-1) ?? 0) / (rates[0] ?? 1)).toFixed(2)} ×`);
await server.remove();
removeCopies();
rmSync(directory, { recursive: true });
