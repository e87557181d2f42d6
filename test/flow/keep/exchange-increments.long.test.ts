import { createHash } from "node:crypto";
import { cpSync, existsSync, readdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import Database from "better-sqlite3";
import { describe, expect, test } from "vitest";
import { startSimNode } from "../../../sim/index.ts";
import { type Column, type Table, tablesOf, viewTableList } from "../../../src/capabilities/export/tables/table.ts";
import { sampled, sized } from "../../run-size.ts";
import { ended, runCli, temporaryDirectory, twoNights } from "../../support/index.ts";

const place = temporaryDirectory();

function run(...argv: string[]) {
  return ended(runCli(argv));
}

function checksum(rows: readonly (readonly unknown[])[]): string {
  const hash = createHash("sha256");
  for (const line of rows.map((row) => JSON.stringify(row.map((cell) => (cell === null ? null : String(cell))))).sort())
    hash.update(`${line}\n`);
  return `${rows.length} rows, ${hash.digest("hex").slice(0, 16)}`;
}

/** A column of a Parquet file as the views of SQLite have it: booleans as 1 or 0, times as ISO text. */
function inSqliteWords({ name, type }: Column): string {
  if (type === "boolean") return `CAST("${name}" AS INTEGER)`;
  return type === "time" ? `strftime(timezone('UTC', "${name}"), '%Y-%m-%dT%H:%M:%S.%gZ')` : `"${name}"`;
}

/** A digest of each view: from the database, and from `part-*` of an export as DuckDB reads it. */
async function compared(db: string, directory: string, tables = tablesOf(false)): Promise<[database: object, files: object]> {
  const sqlite = new Database(db, { readonly: true }).defaultSafeIntegers(true);
  const instance = await DuckDBInstance.create(":memory:", { threads: "1" });
  const duck = await instance.connect();
  const [stored, written]: [Record<string, string>, Record<string, string>] = [{}, {}];
  for (const { name, columns } of sampled(tables, 25)) {
    const list = columns.map((column) => `"${column.name}"`).join(", ");
    stored[name] = checksum(sqlite.prepare<[], unknown[]>(`SELECT ${list} FROM ${name}`).raw().all());
    const asStored = columns.map((column) => inSqliteWords(column)).join(", ");
    const answer = await duck.runAndReadAll(`SELECT ${asStored} FROM read_parquet('${directory}/part-*/${name}.parquet')`);
    written[name] = checksum(answer.getRows());
  }
  sqlite.close();
  duck.closeSync();
  return [stored, written];
}

describe("an export into one directory", () => {
  test("equals the database each time", async () => {
    const nights = twoNights(sized(4, 10), 2);
    const node = await startSimNode({ ledger: nights.ledger });
    const db = place.file("grown.db");
    const directory = place.file("grown");
    const bySnapshot = place.file("by-snapshot");
    const targets = nights.targetsFile(place.file("targets.csv"));
    const sync = (version: bigint, ...more: string[]) =>
      run("sync", "--rpc", node.url, "--db", db, "--rate", "0", "--ledger-version", `${version}`, ...more);
    const steps: [what: string, work: () => Promise<unknown>][] = [
      ["a snapshot of one account", () => sync(nights.first, "--account", "0x1")],
      ["the same snapshot with more accounts", () => sync(nights.first, "--targets", targets)],
      ["a later snapshot", () => sync(nights.second, "--targets", targets)],
      ["a trace of what changed", () => run("trace", "--rpc", node.url, "--db", db, "--rate", "0")],
      ["a snapshot between the two", () => sync(nights.second - 100n, "--targets", targets)],
    ];
    for (const [what, work] of steps.filter((_, i) => sized([0, 2], [0, 1, 2, 3, 4]).includes(i))) {
      await work();
      expect((await run("export", directory, "--db", db, "--json")).json()).toMatchObject({ part: 1 });
      const [stored, files] = await compared(db, directory);
      expect([what, files]).toEqual([what, stored]);
      await run("export", bySnapshot, "--db", db, ...(existsSync(bySnapshot) ? [] : ["--at", "all"]));
      const [rows, inFiles] = await compared(db, bySnapshot, tablesOf(true));
      expect([what, inFiles]).toEqual([what, rows]);
      expect((await run("export", directory, "--db", db, "--json")).json()).toMatchObject({ part: null });
    }
    await node.close();

    // What builds before 0.2.0 left: a second part, and one that was killed.
    for (const name of [".part-000003", "part-000002"]) cpSync(join(directory, "part-000001"), join(directory, name), { recursive: true });
    cpSync(join(directory, "manifest-000001.json"), join(directory, "manifest-000002.json"));
    await run("export", directory, "--db", db);
    expect(readdirSync(directory).sort()).toEqual(["manifest-000001.json", "part-000001"]);
    const [stored, files] = await compared(db, directory);
    expect(files).toEqual(stored);

    // A first export that was killed before its manifest was in its place.
    renameSync(join(directory, "manifest-000001.json"), join(directory, "manifest-000001.json.tmp"));
    await run("export", directory, "--db", db);
    expect(readdirSync(directory).sort()).toEqual(["manifest-000001.json", "part-000001"]);
    expect((await compared(db, directory))[1]).toEqual(stored);
  });

  test("has the views that are named alone, and then what it had and the usual ones", async () => {
    const nights = twoNights(4, 2);
    const node = await startSimNode({ ledger: nights.ledger });
    const [db, directory] = [place.file("named.db"), place.file("named")];
    const targets = nights.targetsFile(place.file("few.csv"));
    const sync = (version: bigint) =>
      run("sync", "--rpc", node.url, "--db", db, "--rate", "0", "--targets", targets, "--ledger-version", `${version}`);
    const written = () => readdirSync(join(directory, "part-000001")).sort();
    const filesOf = (tables: readonly Table[]) => tables.map(({ name }) => `${name}.parquet`).sort();
    await sync(nights.first);
    await run("export", directory, "--db", db, "--view", "functions_latest", "--view", "bytes_held");
    expect(written()).toEqual(["bytes_held.parquet", "functions_latest.parquet"]);
    await sync(nights.second);
    await node.close();
    await run("export", directory, "--db", db);
    const usual = tablesOf(false, undefined, ["functions_latest", "bytes_held"]);
    expect(written()).toEqual(filesOf(usual));
    const [stored, files] = await compared(db, directory, usual);
    expect(files).toEqual(stored);

    const [every, some] = [place.file("every"), sampled(viewTableList, 20)];
    await run("export", every, "--db", db, "--view", "all");
    expect(readdirSync(join(every, "part-000001")).sort()).toEqual(filesOf(viewTableList));
    const [all, inFiles] = await compared(db, every, some);
    expect(inFiles).toEqual(all);
    const { code, stderr } = await runCli(["export", place.file("none"), "--db", db, "--view", "function_latest"]);
    expect([code, stderr]).toEqual([64, expect.stringContaining("there is no view `function_latest`. Did you mean `functions_latest`")]);

    for (const [named, view] of [["functions_latest"], ["functions_history"], ["bytes_held"], ["all", "accounts_latest"]]) {
      const refused = await ended(
        runCli(["export", place.file("none"), "--db", db, "--at", "latest", "--view", "functions_at", "--view", named as string]),
        64,
      );
      expect(refused.stderr).toContain(`--at latest chooses the rows of a snapshot, and the view ${view ?? named} is written whole.`);
    }
    await run("export", place.file("all"), "--db", db, "--at", "all", "--view", "functions_latest");
  });

  test("keeps its layout and its snapshots", async () => {
    const nights = twoNights(4, 1);
    const node = await startSimNode({ ledger: nights.ledger });
    const [db, other, directory] = [place.file("one.db"), place.file("other.db"), place.file("kept")];
    const sync = (path: string, version: bigint) =>
      run("sync", "--rpc", node.url, "--db", path, "--rate", "0", "--account", "0x1", "--ledger-version", `${version}`);
    await sync(db, nights.first);
    await sync(other, nights.second);
    await node.close();
    await run("export", directory, "--db", db);
    await run("export", place.file("rows"), "--db", db, "--at", "all");
    for (const [path, what, ...args] of [
      [directory, "holds an export as parquet", "--db", db, "--format", "mv"],
      [directory, "which this export would not", "--db", other],
      [directory, "holds stretches of snapshots, and not the rows of each", "--db", db, "--at", "latest"],
      [place.file("rows"), "holds views without --partition", "--db", db, "--partition"],
    ] as const) {
      const { code, stderr } = await runCli(["export", path, ...args]);
      expect([args, code, stderr]).toEqual([args, 1, expect.stringContaining(`${what}. Name a new or empty directory`)]);
    }
    expect((await run("export", directory, "--db", db, "--json")).json()).toMatchObject({ part: null });
  });
});
