import { Agent } from "node:http";
import { parseArgs } from "node:util";
import { readSealedVersions } from "../../../src/archive/snapshots/snapshot-queries.ts";
import { openPageArchive } from "../../../src/pages/page-archive.ts";
import { startServeProcess } from "../../serve/support/serve-process.ts";
import { rawRequest } from "../../support/raw-request.ts";
import { describeMachine, median } from "../process-cost.ts";

/**
 * What one visitor of the explorer costs a client of the API:
 *
 *     npx node test/bench/serve/beside.ts --db FILE-OR-URL [--seconds 3] [--rounds 3]
 *
 * `test/bench/questions/large-archive.ts --in FOLDER` makes a large archive. One client requests `/v1/accounts/0x1/module/coin` in a
 * row; we take its median alone, and beside a visitor who reads pages of one kind as fast as they come, each page a different one.
 * The aim is a ratio of at most 1.5. Both are measured in turns, so that a busy machine affects both.
 */
const { values } = parseArgs({
  options: {
    db: { type: "string" },
    seconds: { type: "string", default: "3" },
    rounds: { type: "string", default: "3" },
  },
});
const db = values.db ?? fail("wanted --db: an archive to ask");
const ms = Number(values.seconds) * 1000;
const words = (
  "coin account transfer withdr e a get initialize pool insufficient EINSUFFICIENT_BALANCE coin::transfer coin+transfer mint+cap not+owner " +
  "order+book+place 0x1::coin 65541 0x10006 Move+abort+in+0x1::coin:+65542"
).split(" ");
const items = "coin/transfer coin/Coin account/create_account fungible_asset/FungibleStore object/transfer table/Table".split(" ");
const names = "coin account object fungible_asset stake vector table code event guid".split(" ");

process.stdout.write(`${describeMachine()}\n\n`);
await benchVisitors();
process.stdout.write(`\n${describeMachine()}\n`);

async function benchVisitors(): Promise<void> {
  await using served = await startServeProcess(["--db", db]);
  const { origin } = new URL(served.url);
  const archive = await openPageArchive(db);
  const versions = await readSealedVersions(archive.modules.engine);
  await archive.close();
  const [from, to] = [versions[0], versions.at(-1)];
  const kinds: Readonly<Record<string, (n: number) => string>> = {
    search: (n) => `/search?q=${words[n % words.length]}&x=${n}`,
    "search, gone too": (n) => `/search?q=${words[n % words.length]}&gone=1&x=${n}`,
    overview: (n) => `/?x=${n}`,
    changes: (n) => `/changes?x=${n}`,
    coverage: (n) => `/coverage?x=${n}`,
    account: (n) => `/account/0x1?x=${n}`,
    module: (n) => `/module/0x1/${names[n % names.length]}?x=${n}`,
    "function or struct": (n) => `/module/0x1/${items[n % items.length]}?x=${n}`,
    diff: (n) => `/diff/0x1/${names[n % names.length]}?from=${from}&to=${to}&x=${n}`,
    gaps: (n) => `/gaps?x=${n}`,
    feed: (n) => `/changes.atom?x=${n}`,
    suggestions: (n) => `/suggest?q=${words[n % words.length]}&x=${n}`,
    SQL: (n) =>
      `/sql?sql=${encodeURIComponent(`SELECT address, module, name, signature FROM functions_latest WHERE name = 'withdraw' LIMIT ${100 + n}`)}`,
    "SQL as CSV": (n) => `/sql.csv?sql=${encodeURIComponent(`SELECT address, module, name FROM functions_latest LIMIT ${50_000 + n}`)}`,
  };
  // Code is compiled, and what is done ahead of all readers is over.
  for (const path of Object.values(kinds)) await ask(origin, path(0));
  process.stdout.write("\n| visitor reads | pages read | median alone, ms | median beside, ms | ratio |\n|---|---|---|---|---|\n");
  for (const [kind, path] of Object.entries(kinds)) {
    const [alone, beside]: [number[], number[]] = [[], []];
    let pages = 0;
    for (let round = 0; round < Number(values.rounds); round++) {
      alone.push(...(await client(origin)));
      const end = new AbortController();
      const visitor = visit(origin, path, end.signal, round * 10_000);
      beside.push(...(await client(origin)));
      end.abort();
      pages += await visitor;
    }
    const [a, b] = [median(alone), median(beside)];
    process.stdout.write(`| ${kind} | ${pages} | ${a.toFixed(2)} | ${b.toFixed(2)} | ${(b / a).toFixed(2)} |\n`);
  }
}

async function client(origin: string): Promise<number[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const times: number[] = [];
  for (const until = performance.now() + ms; performance.now() < until; ) {
    const begun = performance.now();
    await ask(origin, "/v1/accounts/0x1/module/coin", agent);
    times.push(performance.now() - begun);
  }
  agent.destroy();
  return times;
}

async function visit(origin: string, path: (n: number) => string, signal: AbortSignal, first: number): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  let n = 0;
  for (; !signal.aborted; n++) await ask(origin, path(first + n), agent);
  agent.destroy();
  return n;
}

async function ask(origin: string, path: string, agent?: Agent): Promise<void> {
  const headers = { "accept-encoding": "zstd, br, gzip", "sec-fetch-site": "none" };
  const { status } = await rawRequest(origin, { path, headers, ...(agent === undefined ? {} : { agent }) });
  if (status !== 200) throw new Error(`${path} answered ${status}`);
}

function fail(message: string): never {
  throw new Error(message);
}
