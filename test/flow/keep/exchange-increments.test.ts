import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import Database from "better-sqlite3";
import { describe, expect, test } from "vitest";
import { startSimNode } from "../../../sim/index.ts";
import { openExportDoor } from "../../../src/archive/copy/exporting.ts";
import { archiveTableList, type Column, viewTableList } from "../../../src/exchange/tables/table.ts";
import { sized } from "../../run-size.ts";
import { ended } from "../../support/command/ended.ts";
import { runCli } from "../../support/run-cli.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";
import { twoNights } from "../../support/two-nights.ts";
import { heldContent } from "./support/two-nights-held.ts";

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
async function compared(db: string, directory: string): Promise<[database: object, files: object]> {
  const sqlite = new Database(db, { readonly: true }).defaultSafeIntegers(true);
  const instance = await DuckDBInstance.create(":memory:");
  const duck = await instance.connect();
  const [stored, written]: [Record<string, string>, Record<string, string>] = [{}, {}];
  for (const { name, columns } of viewTableList) {
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
    const targets = nights.targetsFile(place.file("targets.csv"));
    const sync = (version: bigint, ...more: string[]) =>
      run("sync", "--rpc", node.url, "--db", db, "--rate", "0", "--ledger-version", `${version}`, ...more);
    const increments: [what: string, work: () => Promise<unknown>, replaces: boolean][] = [
      ["a snapshot of one account", () => sync(nights.first, "--account", "0x1"), false],
      ["the same snapshot with more accounts", () => sync(nights.first, "--targets", targets), true],
      ["a later snapshot", () => sync(nights.second, "--targets", targets), false],
      ["a trace of what changed", () => run("trace", "--rpc", node.url, "--db", db, "--rate", "0"), true],
      ["a snapshot between the two", () => sync(nights.second - 100n, "--targets", targets), true],
    ];
    let part = 0;
    const taken = increments.slice(0, sized(3, 5));
    for (const [what, work, replaces] of taken) {
      await work();
      const { part: written } = (await run("export", directory, "--db", db, "--json")).json() as { part: number | null };
      expect([what, written]).toEqual([what, ++part]);
      const [stored, files] = await compared(db, directory);
      expect([what, files]).toEqual([what, stored]);
      const parts = readdirSync(directory).filter((name) => name.startsWith("part-"));
      expect([what, parts.length === 1]).toEqual([what, replaces || part === 1]);
      expect((await run("export", directory, "--db", db, "--json")).json()).toMatchObject({ part: null });
      if (part % sized(taken.length, 1) !== 0) continue;
      const copy = place.file(`copy-${part}.db`);
      await run("import", directory, "--db", copy);
      expect(heldContent(copy)).toEqual(heldContent(db));
    }
    await node.close();

    // An export that was killed between writing a part and deleting those that it replaces: the next one deletes them.
    const leftover = join(directory, "part-000001");
    mkdirSync(leftover);
    writeFileSync(join(leftover, "accounts_at.parquet"), "old");
    await run("import", directory, "--db", place.file("leftover.db"));
    await run("export", directory, "--db", db);
    expect(existsSync(leftover)).toBe(false);
  });

  test("is not replaced by one that would lose tables or snapshots", async () => {
    const nights = twoNights(4, 1);
    const node = await startSimNode({ ledger: nights.ledger });
    const [db, other, directory] = [place.file("one.db"), place.file("other.db"), place.file("kept")];
    const sync = (path: string, version: bigint) =>
      run("sync", "--rpc", node.url, "--db", path, "--rate", "0", "--account", "0x1", "--ledger-version", `${version}`);
    await sync(db, nights.first);
    await sync(other, nights.second);
    await node.close();
    await run("export", directory, "--db", db);
    for (const args of [
      ["--db", db, "--tables", "archive"],
      ["--db", other],
    ]) {
      const { code, stderr } = await runCli(["export", directory, ...args]);
      expect([args, code, stderr]).toEqual([
        args,
        1,
        expect.stringContaining("which this export would not. Name a new or empty directory"),
      ]);
    }
    expect((await run("export", directory, "--db", db, "--json")).json()).toMatchObject({ part: null });
  });
});
