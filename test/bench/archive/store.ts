// What the database costs: `npx node test/bench/archive/store.ts [accounts]`. Sizes and query times over 134 real releases, and the
// rates of visits and seals. Reads ../shared/data/framework-history; writes to a directory of its own that it removes.
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { sha256 } from "../../../src/base/sha256.ts";
import { databaseAt } from "../../../src/engine/database-at.ts";
import { type Address, parseAddress } from "../../../src/move/address.ts";
import { recipes } from "../../../src/schema/cookbook/cookbook.ts";
import { type ObservedModule, openStore, type Store } from "../../../src/work/store.ts";
import { frameworkHistory } from "../../support/shared-data.ts";
import { loadHistory, type Release, readReleases } from "./history.ts";
import { exampleQueries } from "./queries.ts";

const accounts = Number(process.argv[2] ?? 20_000);
const directory = mkdtempSync(join(tmpdir(), "movedex-bench-"));
const now = () => 0;

function report(name: string, value: string): void {
  process.stdout.write(`| ${name} | ${value} |\n`);
}

async function time<T>(work: () => Promise<T>): Promise<{ ms: number; value: T }> {
  const begin = performance.now();
  const value = await work();
  return { ms: performance.now() - begin, value };
}

/** The best of five times, so that caches are warm. */
async function best(work: () => Promise<number>): Promise<{ ms: number; value: number }> {
  const runs: { ms: number; value: number }[] = [];
  for (let n = 0; n < 5; n++) runs.push(await time(work));
  return { ms: Math.min(...runs.map(({ ms }) => ms)), value: runs[0]?.value ?? 0 };
}

/** The naive archive: one JSON answer per module per release, as a node gives it. */
function jsonBytes(folder: string, releases: readonly Release[]): number {
  const sizes = new Map<string, number>();
  for (const line of readFileSync(join(folder, "abi.jsonl"), "utf8").trimEnd().split("\n")) {
    const { sha256: digest, abi } = JSON.parse(line) as { sha256: string; abi: unknown };
    const code = statSync(join(folder, "modules", `${digest}.mv`)).size;
    sizes.set(digest, `{"bytecode":"0x","abi":}`.length + 2 * code + Buffer.byteLength(JSON.stringify(abi)));
  }
  return releases.flatMap(({ modules }) => modules).reduce((sum, { sha256: digest }) => sum + (sizes.get(digest) ?? 0), 0);
}

async function benchHistory(folder: string): Promise<void> {
  const path = join(directory, "history.db");
  const releases = readReleases(folder, "aptos-devnet");
  const store = await openStore(path, { mode: "write", now });
  const load = await time(() => loadHistory(store, folder, releases));
  await store.close();
  const json = jsonBytes(folder, releases);
  const { size } = statSync(path);
  report(`${releases.length} releases decoded, stored and sealed`, `${(load.ms / 1000).toFixed(1)} s`);
  report(
    "database against one JSON answer per module per release",
    `${mebi(size)} (${size} bytes) against ${mebi(json)}: ${(json / size).toFixed(2)} × smaller`,
  );
  const door = await databaseAt(path).openToQuery();
  for (const { about, sql } of exampleQueries) {
    const { ms, value } = await best(async () => (await Array.fromAsync((await door.query(sql)).rows)).length);
    report(`query: ${about}`, `${ms.toFixed(1)} ms, ${value} rows`);
  }
  for (const { name, sql, parameters } of recipes) {
    const values = Object.fromEntries(Object.entries(parameters).map(([key, { kind, example }]) => [key, recipeValue(key, kind, example)]));
    const { ms, value } = await best(
      async () => (await Array.fromAsync((await door.query(sql, Object.keys(values).length === 0 ? [] : values)).rows)).length,
    );
    report(`cookbook: ${name}`, `${ms.toFixed(1)} ms, ${value} rows`);
  }
  await door.close();
  await benchSearch(path);
}

/** The example of a recipe's value, but versions that this history has. */
function recipeValue(name: string, kind: string, example: string): string | bigint {
  const version = { from: 60_000n, to: 70_000n }[name];
  return version ?? (kind === "number" ? BigInt(example) : example);
}

async function benchSearch(path: string): Promise<void> {
  const store = await openStore(path, { mode: "read" });
  for (const words of ["coin transfer", "insufficient balance", "mint cap", "get", "a"]) {
    const { ms, value } = await best(async () => (await store.search(words, { kinds: [], withGone: false, limit: 20 })).hits.length);
    report(`search: ${words}`, `${ms.toFixed(1)} ms, ${value} results`);
  }
  await store.close();
}

const modulesOf = (number: number): ObservedModule[] =>
  ["coin", "math"].map((name) => {
    const code = Buffer.from(`${name} ${number % 500}`);
    return {
      name,
      sha256: sha256(code),
      content: { code, bytecodeVersion: 7, decoded: { error: { code: "BENCH", offset: 0, message: "" } } },
    };
  });

async function benchNight(store: Store, ledgerVersion: bigint, name: string): Promise<void> {
  const addresses = Array.from({ length: accounts }, (_, number) => parseAddress(`0x${(number + 1).toString(16)}`) as Address);
  const record = { sequenceNumber: 1n, authenticationKey: new Uint8Array(32), resource: new Uint8Array(200) };
  const visits = addresses.map((address, number) => ({ address, account: record, modules: modulesOf(number) }));
  const pin = { chainId: 4, ledgerVersion, headVersion: ledgerVersion, oldestVersion: 0n, headTimestampUsec: 0n, now: 0 };
  const plan = await time(() => store.createPin(pin, addresses));
  const visit = await time(async () => {
    for (const one of visits) await store.commitVisit(ledgerVersion, one);
  });
  const seal = await time(() => store.seal(ledgerVersion, { now: 0 }));
  const perSecond = (ms: number) => `${Math.round((accounts / ms) * 1000).toLocaleString("en")} accounts/s`;
  report(`${name}: plan`, perSecond(plan.ms));
  report(`${name}: visits, a transaction each`, `${perSecond(visit.ms)} (${((visit.ms / accounts) * 1000).toFixed(0)} µs each)`);
  report(`${name}: seal`, perSecond(seal.ms));
}

async function benchNights(): Promise<void> {
  const path = join(directory, "nights.db");
  let store = await openStore(path, { mode: "write", now });
  await benchNight(store, 100n, `first night of ${accounts.toLocaleString("en")} accounts`);
  await store.close();
  const before = statSync(path).size;
  store = await openStore(path, { mode: "write", now });
  await benchNight(store, 200n, "quiet night");
  await store.close();
  report("quiet night: growth of the file", `${(statSync(path).size - before) / 1024} KiB`);
  store = await openStore(path, { mode: "write", now });
  await benchNight(store, 150n, "an older quiet night between the two");
  await store.close();
  report("peak memory of the process", mebi(process.resourceUsage().maxRSS * 1024));
}

function mebi(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(1)} MiB`;
}

try {
  process.stdout.write(`Node ${process.version}, ${cpus()[0]?.model}\n\n| what | result |\n| --- | --- |\n`);
  if (frameworkHistory !== undefined) await benchHistory(frameworkHistory);
  await benchNights();
} finally {
  rmSync(directory, { recursive: true, force: true });
}
