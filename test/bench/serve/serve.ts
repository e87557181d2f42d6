import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { createSampleLedger, replayHistory, startSimNode } from "../../../sim/index.ts";
import { startServeProcess } from "../../serve/support/serve-process.ts";
import { crawl } from "../../serve/support/served-archive.ts";
import { frameworkHistory } from "../../support/shared-data.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";
import { describeMachine } from "../machine.ts";

/**
 * `serve` beside a bare fastify route that sends the same bytes, both in processes of their own, driven by autocannon in
 * turns: `node test/bench/serve/serve.ts [SECONDS] [ROUNDS]`. Warm: the same request over and over, the best round of each.
 * Cold: the first requests for things that nobody asked for before, one after the other.
 */
const seconds = Number(process.argv[2] ?? 3);
const rounds = Number(process.argv[3] ?? 3);
const machine = describeMachine();
using place = temporaryDirectory();
const db = place.file("archive.db");
const names = await fill(db);
const bcs = { accept: "application/x-bcs" };
const json = { accept: "application/json" };
const cases: readonly (readonly [name: string, path: string, headers: Record<string, string>])[] = [
  ["account, JSON", "/accounts/0x1", json],
  ["account, BCS", "/accounts/0x1", bcs],
  ["module, JSON", `/accounts/0x1/module/${names[0]}`, json],
  ["module, BCS", `/accounts/0x1/module/${names[0]}`, bcs],
  ["page of 25 modules, JSON", "/accounts/0x1/modules?limit=25", json],
  ["page of 25 modules, BCS", "/accounts/0x1/modules?limit=25", bcs],
  ["page of 25 modules, JSON, zstd", "/accounts/0x1/modules?limit=25", { ...json, "accept-encoding": "zstd" }],
];

await using served = await startServeProcess(["--db", db]);
const cold = await measureCold();
process.stdout.write(`${machine}; ${rounds} rounds of ${seconds} s, 20 connections\n\n`);
process.stdout.write("| what | bytes | bare fastify, requests/s | serve, requests/s | share |\n|---|---|---|---|---|\n");
for (const [name, path, headers] of cases) {
  const response = await fetch(served.url + path, { headers });
  const sameBytes = await startBare(
    response,
    Buffer.from(await (await fetch(served.url + path, { headers: { ...headers, "accept-encoding": "identity" } })).arrayBuffer()),
    headers,
  );
  let [bare, ours] = [0, 0];
  for (let round = 0; round < rounds; round++) {
    bare = Math.max(bare, await fire(sameBytes.url, headers));
    ours = Math.max(ours, await fire(served.url + path, headers));
  }
  sameBytes.child.kill();
  process.stdout.write(
    `| ${name} | ${sameBytes.bytes} | ${bare.toFixed(0)} | ${ours.toFixed(0)} | ${((ours / bare) * 100).toFixed(0)} % |\n`,
  );
}
process.stdout.write(`\n${cold}\n`);

async function fill(path: string): Promise<readonly string[]> {
  const sample = createSampleLedger();
  const history = frameworkHistory === undefined ? undefined : replayHistory({ directory: frameworkHistory });
  const ledger = history?.ledger ?? sample.ledger;
  await using node = await startSimNode({ ledger });
  await crawl(path, node.url, ["0x1", "0x3", "0x4"]);
  const modules = ledger.modulesAt("0x1", ledger.head);
  // The first is of middling size: the one that is asked for over and over.
  return modules
    .toSorted((a, b) => a.code.bytes.length - b.code.bytes.length)
    .map(({ name }, index, all) => all[(index + (all.length >> 1)) % all.length]?.name ?? name);
}

async function measureCold(): Promise<string> {
  const time = async (headers: Record<string, string>): Promise<string> => {
    const times: number[] = [];
    for (const name of names) {
      const begun = performance.now();
      await (await fetch(`${served.url}/accounts/0x1/module/${name}`, { headers })).arrayBuffer();
      times.push(performance.now() - begun);
    }
    times.sort((a, b) => a - b);
    return `median ${(times[times.length >> 1] ?? 0).toFixed(2)} ms, slowest ${(times.at(-1) ?? 0).toFixed(2)} ms`;
  };
  const [first, again, bytes] = [await time(json), await time(json), await time(bcs)];
  return `Cold, one client, ${names.length} modules: JSON the first time ${first}; again ${again}; BCS the first time ${bytes}.`;
}

async function startBare(
  response: Response,
  body: Buffer,
  headers: Record<string, string>,
): Promise<{ url: string; child: ChildProcess; bytes: number }> {
  const packed = headers["accept-encoding"] === undefined ? body : (await import("node:zlib")).zstdCompressSync(body);
  writeFileSync(place.file("body"), packed);
  const sent = Object.fromEntries(
    [...response.headers].filter(([name]) => !["date", "connection", "keep-alive", "content-length", "transfer-encoding"].includes(name)),
  );
  if (headers["accept-encoding"] === undefined) delete sent["content-encoding"];
  const main = fileURLToPath(new URL("bare-fastify.ts", import.meta.url));
  const child = spawn(process.execPath, [main, place.file("body"), JSON.stringify(sent)], { stdio: ["ignore", "pipe", "inherit"] });
  const [url] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
  return { url, child, bytes: packed.length };
}

/** Requests a second, from autocannon's own process. */
async function fire(url: string, headers: Record<string, string>): Promise<number> {
  const main = fileURLToPath(import.meta.resolve("autocannon"));
  const wanted = Object.entries(headers).flatMap(([name, value]) => ["-H", `${name}=${value}`]);
  const child = spawn(process.execPath, [main, "-c", "20", "-d", `${seconds}`, "--json", ...wanted, url], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk;
  });
  await once(child, "close");
  const result = JSON.parse(text) as { requests: { average: number }; non2xx: number; errors: number };
  if (result.non2xx + result.errors > 0) throw new Error(`${url}: ${result.non2xx} refusals, ${result.errors} errors`);
  return result.requests.average;
}
