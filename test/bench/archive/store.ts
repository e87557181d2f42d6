import { readFileSync, statSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import { recipes } from "../../../src/capabilities/cookbook/recipes/cookbook.ts";
import { searchQueries } from "../../../src/capabilities/search/search.ts";
import { databaseAt } from "../../../src/core/db/engine/database-at.ts";
import { openStore } from "../../../src/core/work/store.ts";
import { loadHistory, type RecordedRelease, readReleases } from "../../support/recorded-releases.ts";
import { frameworkHistory } from "../../support/shared-data.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

/** Questions that people ask, as the README shows them: each has to be answered within 50 ms over 134 releases. */
const exampleQueries: readonly string[] = [
  "SELECT bytecode_sha256, bytecode_size FROM modules_at WHERE ledger_version = 70000 AND address = '0x1' AND module = 'coin'",
  "SELECT address, module, bytecode_sha256 FROM modules_at WHERE ledger_version = 70000",
  "SELECT name, signature FROM functions_at WHERE ledger_version = 70000 AND address = '0x1' AND module = 'coin'",
  "SELECT address, module, signature FROM functions_latest WHERE name = 'transfer'",
  "SELECT module, signature FROM functions_latest WHERE address = '0x1' AND is_entry",
  "SELECT address, module, function FROM function_params_latest WHERE type = '&signer'",
  "SELECT address, module, function FROM function_returns_latest WHERE type LIKE '%Coin<%'",
  "SELECT address, module, item, place FROM type_uses_latest WHERE used_address = '0x1' AND used_module = 'coin' AND used_struct = 'Coin'",
  "SELECT address, module FROM dependencies_latest WHERE other_address = '0x1' AND other_module = 'coin'",
  "SELECT address, module, struct, name FROM fields_latest WHERE type = 'u128'",
  "SELECT name, description FROM error_codes_latest WHERE address = '0x1' AND module = 'coin' AND code = 10",
  "SELECT module, from_sha256, to_sha256, abi_changed FROM module_changes WHERE at_or_before_version = 70000",
  "SELECT after_version, at_or_before_version, abi_changed FROM module_changes WHERE address = '0x1' AND module = 'coin'",
  "SELECT count(*), sum(abi_changed) FROM module_changes",
  "SELECT min(ledger_version), max(ledger_version) FROM functions_at WHERE address = '0x1' AND module = 'coin' AND name = 'balance'",
];

// What the database costs: `npx node test/bench/archive/store.ts`. Size and query times over 134 real releases. Reads
// ../shared/data/framework-history; writes to a directory of its own that it removes.

using directory = temporaryDirectory();
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
function jsonBytes(folder: string, releases: readonly RecordedRelease[]): number {
  const sizes = new Map<string, number>();
  for (const line of readFileSync(join(folder, "abi.jsonl"), "utf8").trimEnd().split("\n")) {
    const { sha256: digest, abi } = JSON.parse(line) as { sha256: string; abi: unknown };
    const code = statSync(join(folder, "modules", `${digest}.mv`)).size;
    sizes.set(digest, `{"bytecode":"0x","abi":}`.length + 2 * code + Buffer.byteLength(JSON.stringify(abi)));
  }
  return releases.flatMap(({ modules }) => [...modules.values()]).reduce((sum, digest) => sum + (sizes.get(digest) ?? 0), 0);
}

async function benchHistory(folder: string): Promise<void> {
  const path = directory.file("history.db");
  const releases = readReleases(folder);
  const store = await openStore(path, { mode: "write", now });
  const load = await time(() => loadHistory(store.engine, folder, releases));
  await store.close();
  const json = jsonBytes(folder, releases);
  const { size } = statSync(path);
  report(`${releases.length} releases decoded, stored and sealed`, `${(load.ms / 1000).toFixed(1)} s`);
  report(
    "database against one JSON answer per module per release",
    `${mebi(size)} (${size} bytes) against ${mebi(json)}: ${(json / size).toFixed(2)} × smaller`,
  );
  const door = await databaseAt(path).openToQuery();
  for (const sql of exampleQueries) {
    const { ms, value } = await best(async () => (await Array.fromAsync((await door.query(sql)).rows)).length);
    report(`query: ${sql}`, `${ms.toFixed(1)} ms, ${value} rows`);
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
  await using store = await openStore(path, { mode: "read" });
  for (const words of ["coin transfer", "insufficient balance", "mint cap", "get", "a"]) {
    const { ms, value } = await best(
      async () => (await searchQueries(store.engine).search(words, { kinds: [], withGone: false, limit: 20 })).hits.length,
    );
    report(`search: ${words}`, `${ms.toFixed(1)} ms, ${value} results`);
  }
}

function mebi(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(1)} MiB`;
}

process.stdout.write(`Node ${process.version}, ${cpus()[0]?.model}\n\n| what | result |\n| --- | --- |\n`);
if (frameworkHistory === undefined) throw new Error("the recorded releases are not there (../shared/data/framework-history)");
await benchHistory(frameworkHistory);
