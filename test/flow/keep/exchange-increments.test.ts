import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import Database from "better-sqlite3";
import { describe, expect, test } from "vitest";
import { startSimNode } from "../../../sim/index.ts";
import { openExportDoor } from "../../../src/archive/copy/exporting.ts";
import { archiveTableList, type Column, tablesOf } from "../../../src/exchange/tables/table.ts";
import { sized } from "../../run-size.ts";
import { ended } from "../../support/command/ended.ts";
import { runCli } from "../../support/run-cli.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";
import { twoNights } from "../../support/two-nights.ts";

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
async function compared(db: string, directory: string, isBySnapshot = false): Promise<[database: object, files: object]> {
  const sqlite = new Database(db, { readonly: true }).defaultSafeIntegers(true);
  const instance = await DuckDBInstance.create(":memory:");
  const duck = await instance.connect();
  const [stored, written]: [Record<string, string>, Record<string, string>] = [{}, {}];
  for (const { name, columns } of tablesOf(["view"], isBySnapshot)) {
    const list = columns.map((column) => `"${column.name}"`).join(", ");
    stored[name] = checksum(sqlite.prepare<[], unknown[]>(`SELECT ${list} FROM ${name}`).raw().all());
    const asStored = columns.map((column) => inSqliteWords(column)).join(", ");
    const answer = await duck.runAndReadAll(`SELECT ${asStored} FROM read_parquet('${directory}/part-*/${name}.parquet')`);
    written[name] = checksum(answer.getRows());
  }
  const door = await openExportDoor(db);
  const versions = door.snapshots.map(({ ledgerVersion }) => ledgerVersion);
  for (const name of [
    "archive_snapshots",
    "archive_gaps",
    "archive_module_probes",
    "archive_account_probes",
    "archive_bytecodes",
  ] as const) {
    const [key = ""] = archiveTableList.find((table) => table.name === name)?.columns.map((column) => column.name) ?? [];
    stored[name] = checksum((await Array.fromAsync(door.archiveRows(name, versions, []))).map(([cell]) => [cell]));
    const answer = await duck.runAndReadAll(`SELECT ${key} FROM read_parquet('${directory}/part-*/${name}.parquet')`);
    written[name] = checksum(answer.getRows());
  }
  await door.close();
  sqlite.close();
  duck.closeSync();
  return [stored, written];
}

describe("an export into one directory", () => {
  test("read as a whole, equals the database after every increment", async () => {
    const nights = twoNights(10, 2);
    const node = await startSimNode({ ledger: nights.ledger });
    const db = place.file("grown.db");
    const directory = place.file("grown");
    const bySnapshot = place.file("by-snapshot");
    const targets = nights.targetsFile(place.file("targets.csv"));
    const sync = (version: bigint, ...more: string[]) =>
      run("sync", "--rpc", node.url, "--db", db, "--rate", "0", "--ledger-version", `${version}`, ...more);
    const increments: [what: string, work: () => Promise<unknown>, parts: number][] = [
      ["a snapshot of one account", () => sync(nights.first, "--account", "0x1"), 1],
      ["the same snapshot with more accounts", () => sync(nights.first, "--targets", targets), 1],
      ["a later snapshot", () => sync(nights.second, "--targets", targets), 2],
      ["a trace of what changed", () => run("trace", "--rpc", node.url, "--db", db, "--rate", "0"), 2],
      ["a snapshot between the two", () => sync(nights.second - 100n, "--targets", targets), 2],
    ];
    const taken = increments.slice(0, sized(3, 5));
    for (const [what, work, parts] of taken) {
      await work();
      const { part: written } = (await run("export", directory, "--db", db, "--json")).json() as { part: number | null };
      expect([what, written]).toEqual([what, parts]);
      const [stored, files] = await compared(db, directory);
      expect([what, files]).toEqual([what, stored]);
      await run("export", bySnapshot, "--db", db, ...(existsSync(bySnapshot) ? [] : ["--at", "all"]));
      const [rows, inFiles] = await compared(db, bySnapshot, true);
      expect([what, inFiles]).toEqual([what, rows]);
      expect([what, readdirSync(directory)]).toHaveProperty("1.length", 2 * parts);
      expect((await run("export", directory, "--db", db, "--json")).json()).toMatchObject({ part: null });
    }
    await node.close();

    // What killed exports before 0.2.0 left: a part that a later one replaces, and parts without a manifest, begun and complete.
    const manifest = join(directory, "manifest-000002.json");
    writeFileSync(manifest, JSON.stringify({ ...(JSON.parse(readFileSync(manifest, "utf8")) as object), replaces: [1] }));
    for (const name of [".part-000003", "part-000003"]) cpSync(join(directory, "part-000001"), join(directory, name), { recursive: true });
    writeFileSync(join(directory, ".manifest-000003.json"), "{");
    await run("export", directory, "--db", db);
    expect(readdirSync(directory).sort()).toEqual(["manifest-000001.json", "manifest-000002.json", "part-000002"]);
    const [stored, files] = await compared(db, directory);
    expect(files).toEqual(stored);

    mkdirSync(join(directory, "part-000007"));
    expect((await runCli(["export", directory, "--db", db])).stderr).toContain("holds `part-000007`, which is not part of an export");
    expect(existsSync(join(directory, "part-000007"))).toBe(true);
  });

  test("keeps its tables, its layout and its snapshots", async () => {
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
    await run("export", place.file("archive"), "--db", db, "--tables", "archive");
    for (const [path, what, ...args] of [
      [directory, "which this export would not", "--db", db, "--tables", "archive"],
      [directory, "which this export would not", "--db", other],
      [directory, "holds stretches of snapshots, and not the rows of each", "--db", db, "--at", "latest"],
      [place.file("rows"), "holds views without --partition", "--db", db, "--partition"],
      [place.file("archive"), "holds no views, which this export would", "--db", db],
    ] as const) {
      const { code, stderr } = await runCli(["export", path, ...args]);
      expect([args, code, stderr]).toEqual([args, 1, expect.stringContaining(`${what}. Name a new or empty directory`)]);
    }
    expect((await run("export", directory, "--db", db, "--json")).json()).toMatchObject({ part: null });
  });
});
