import { Agent } from "node:http";
import { parseArgs } from "node:util";
import { prepareSearch } from "../../../src/archive/search/search.ts";
import { databaseAt } from "../../../src/engine/database-at.ts";
import { startServeProcess } from "../../serve/support/serve-process.ts";
import { rawRequest } from "../../support/raw-request.ts";
import { describeMachine } from "../machine.ts";

/**
 * What one visitor of the explorer costs a client of the API, and what a search costs:
 *
 *     npx node test/bench/serve/beside.ts --db FILE-OR-URL [--seconds 3] [--rounds 3]
 *
 * A large archive to ask: `test/bench/questions/large-archive.ts --in FOLDER` makes one. One client asks for `/v1/accounts/0x1/module/coin`, one
 * request after another; its median without a visitor and beside one who reads pages of a kind as fast as they come, each page another
 * one. The aim is a ratio of at most 1.5. Alone and beside are measured in turns, so that a busy machine weighs on both.
 */
const { values } = parseArgs({
  options: { db: { type: "string" }, seconds: { type: "string", default: "3" }, rounds: { type: "string", default: "3" } },
});
const db = values.db ?? fail("wanted --db: an archive to ask");
const ms = Number(values.seconds) * 1000;
const words =
  "coin account transfer e a get initialize pool withdraw insufficient coin::transfer mint+capability not+owner order+book+place".split(
    " ",
  );
const names = "coin account object fungible_asset stake vector table code event guid".split(" ");

process.stdout.write(`${describeMachine()}\n\n`);
await benchSearch();
await benchVisitors();
process.stdout.write(`\n${describeMachine()}\n`);

async function benchSearch(): Promise<void> {
  const { engine, close } = await databaseAt(db).open({ mode: "read" });
  const { search } = prepareSearch(engine);
  process.stdout.write("| search | median, ms | slowest of 9, ms | found |\n|---|---|---|---|\n");
  for (const word of words) {
    const text = word.replaceAll("+", " ");
    const ask = () => search(text, { kinds: [], withGone: false, limit: 60 });
    const { hits } = await ask();
    const times: number[] = [];
    for (let i = 0; i < 9; i++) {
      const begun = performance.now();
      await ask();
      times.push(performance.now() - begun);
    }
    process.stdout.write(`| ${text} | ${median(times).toFixed(1)} | ${Math.max(...times).toFixed(1)} | ${hits.length} |\n`);
  }
  await close();
}

async function benchVisitors(): Promise<void> {
  await using served = await startServeProcess(["--db", db]);
  const { origin } = new URL(served.url);
  const kinds: Readonly<Record<string, (n: number) => string>> = {
    search: (n) => `/search?q=${words[n % words.length]}&x=${n}`,
    "search, gone too": (n) => `/search?q=${words[n % words.length]}&gone=1&x=${n}`,
    overview: (n) => `/?x=${n}`,
    changes: (n) => `/changes?x=${n}`,
    coverage: (n) => `/coverage?x=${n}`,
    account: (n) => `/account/0x1?x=${n}`,
    module: (n) => `/module/0x1/${names[n % names.length]}?x=${n}`,
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

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;
}

function fail(message: string): never {
  throw new Error(message);
}
