import { setTimeout as delay } from "node:timers/promises";
import { manyAccounts, replayHistory, startSimNode } from "../../../sim/index.ts";
import { abuseFromOutside, askWell } from "../../serve/support/abuse.ts";
import { startServeProcess } from "../../serve/support/serve-process.ts";
import { crawl } from "../../serve/support/served-archive.ts";
import { frameworkHistory } from "../../support/shared-data.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";
import { describeMachine } from "../machine.ts";

/**
 * Good clients beside bad ones, for minutes: `node test/bench/serve/abuse.ts [MINUTES]` (10). Prints what the good ones
 * saw, and the service's memory after the warm-up (its second minute), in the last minute, and once all is quiet.
 */
const minutes = Number(process.argv[2] ?? 10);
const machine = describeMachine();
using place = temporaryDirectory();
const db = place.file("archive.db");
const accounts = await fill(db);
await using served = await startServeProcess(["--db", db]);
const paths = accounts.flatMap((address) => [
  `/accounts/${address}`,
  `/accounts/${address}/modules?limit=7`,
  `/accounts/${address}/modules`,
]);
const seconds = minutes * 60;
const begun = performance.now();
const age = (): number => (performance.now() - begun) / 1000;
const samples: { readonly age: number; readonly bytes: number }[] = [];
const [good] = await Promise.all([
  askWell(served.url, paths, () => age() > seconds, 20),
  abuseFromOutside(
    served.port,
    paths.map((path) => `/v1${path}`),
    seconds,
  ),
  sampleMemory(),
]);
await delay(20_000);
const quiet = await memoryNow();
const between = (from: number, to: number): number =>
  median(samples.filter((it) => it.age >= from && it.age < to).map(({ bytes }) => bytes));
const mb = (bytes: number): string => `${(bytes / 1e6).toFixed(0)} MB`;
const shed = await gauge("movedex_serve_shed_total");
const [warm, last] = [between(60, 120), between(seconds - 60, seconds)];
process.stdout.write(`${machine}\n`);
process.stdout.write(
  `| minutes | good answers | failed | slowest | turned away or cut off | memory, 2nd minute | last minute | at most | quiet again |\n|---|---|---|---|---|---|---|---|---|\n`,
);
process.stdout.write(
  `| ${minutes} | ${good.answered} | ${good.failed.length} | ${good.slowestMs.toFixed(0)} ms | ${shed} | ${mb(warm)} | ${mb(last)} (${((last / warm) * 100).toFixed(0)} %) | ${mb(Math.max(...samples.map(({ bytes }) => bytes)))} | ${mb(quiet)} |\n`,
);
for (const text of new Set(good.failed)) process.stdout.write(`failed: ${text}\n`);
process.stdout.write(
  `samples, MB: ${samples
    .filter((_, index) => index % 6 === 0)
    .map(({ bytes }) => (bytes / 1e6).toFixed(0))
    .join(" ")}\n`,
);
process.stdout.write(
  `quiet again: heap ${mb(await gauge("movedex_serve_heap_bytes"))}, outside of it ${mb(await gauge("movedex_serve_external_bytes"))}\n`,
);
process.stdout.write(`exit code after SIGTERM: ${await served.stop()}\n`);

async function fill(path: string): Promise<readonly string[]> {
  if (frameworkHistory === undefined) {
    const many = manyAccounts(40, { packages: 30, seed: 3 });
    await using node = await startSimNode({ ledger: many.ledger });
    const addresses = [...many.addresses()];
    await crawl(path, node.url, addresses);
    return addresses;
  }
  const { ledger, releases } = replayHistory({ directory: frameworkHistory });
  await using node = await startSimNode({ ledger });
  const framework = ["0x3", "0x4", "0x5", "0x7", "0xa", "0x1"];
  for (const index of [0, 66, 133]) await crawl(path, node.url, framework, { version: releases[index]?.version ?? 0n });
  return framework;
}

async function sampleMemory(): Promise<void> {
  while (age() < seconds) {
    samples.push({ age: age(), bytes: await memoryNow() });
    await delay(5000);
  }
}

function memoryNow(): Promise<number> {
  return gauge("movedex_serve_memory_bytes");
}

async function gauge(name: string): Promise<number> {
  const text = await (await fetch(new URL("/metrics", served.url))).text();
  return Number(new RegExp(`^${name} (\\d+)$`, "m").exec(text)?.[1] ?? Number.NaN);
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
