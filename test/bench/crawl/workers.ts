// How much faster four workers on four nodes are than one on one, each node limited to the same rate, on one PostgreSQL database:
// requests a second from the first to the last request about an account, as the nodes see them. Needs no server of its own.
//   node test/bench/crawl/workers.ts [accounts] [rate]
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { manyAccounts, startSimNode } from "../../../src/sim/index.ts";
import { findBinaries, removeCopies } from "../../support/postgres/binaries.ts";
import { startServer } from "../../support/postgres/server.ts";
import { describeMachine } from "../machine.ts";

const launcher = fileURLToPath(new URL("../../../bin/movedex.mjs", import.meta.url));
const [accounts = 2_000, rate = 100] = process.argv.slice(2).map(Number);
const many = manyAccounts(accounts);
const directory = mkdtempSync(join(tmpdir(), "movedex-bench-"));
const targets = join(directory, "targets.csv");
writeFileSync(targets, `address\n${[...many.addresses()].join("\n")}\n`);
const binaries = findBinaries(18);
if (typeof binaries === "string") throw new Error(binaries);
const server = await startServer(binaries);

async function crawl(workers: number): Promise<{ perSecond: number; requests: number; repeated: number; wallMs: number }> {
  const name = `movedex_${workers}`;
  const database = `postgres://postgres@127.0.0.1:${server.port}/postgres?schema=${name}`;
  const nodes = await Promise.all(Array.from({ length: workers }, () => startSimNode({ ledger: many.ledger })));
  const startedMs = performance.now();
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
    return once(spawn(process.execPath, [launcher, ...argv], { stdio: ["ignore", "ignore", "inherit"] }), "exit");
  });
  for (const [code] of await Promise.all(ends)) if (code !== 0) throw new Error(`a worker ended with ${code}`);
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
  };
}

console.log(`${describeMachine()}; ${accounts} accounts, each node ${rate} requests/s\n`);
console.log(
  "| workers | requests about accounts | fewest possible | read twice | requests/s | whole processes, s |\n|---|---|---|---|---|---|",
);
const rates: number[] = [];
for (const workers of [1, 4]) {
  const { perSecond, requests, repeated, wallMs } = await crawl(workers);
  rates.push(perSecond);
  console.log(`| ${workers} | ${requests} | ${2 * accounts} | ${repeated} | ${perSecond.toFixed(1)} | ${(wallMs / 1000).toFixed(1)} |`);
}
console.log(`\nFour against one: ${((rates[1] ?? 0) / (rates[0] ?? 1)).toFixed(2)} ×`);
await server.remove();
removeCopies();
rmSync(directory, { recursive: true });
