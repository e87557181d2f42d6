import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { DuckDBInstance } from "@duckdb/node-api";
import Database from "better-sqlite3";
import { beforeAll, describe, expect, test } from "vitest";
import { openExportDoor } from "../../../src/archive/copy/exporting.ts";
import { tablesOf } from "../../../src/exchange/tables/table.ts";
import { openStore } from "../../../src/work/store.ts";
import { ended } from "../../support/command/ended.ts";
import { databaseContent } from "../../support/database-content.ts";
import { loadHistory, readReleases } from "../../support/recorded-releases.ts";
import { runCli } from "../../support/run-cli.ts";
import { frameworkHistory } from "../../support/shared-data.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

const title = "exports of the real framework history";
const repository = fileURLToPath(new URL("../../..", import.meta.url));

/** Columns of Parquet as texts, as SQLite's views have them; the archive's tables have times in milliseconds. */
const inDatabaseWords = {
  text: "?",
  integer: "CAST(? AS VARCHAR)",
  u64: "CAST(? AS VARCHAR)",
  bytes: "lower(hex(?))",
  boolean: "CAST(CAST(? AS INTEGER) AS VARCHAR)",
  time: "strftime(timezone('UTC', ?), '%Y-%m-%dT%H:%M:%S.%gZ')",
  ms: "CAST(epoch_ms(?) AS VARCHAR)",
} as const;

describe.skipIf(frameworkHistory === undefined)(
  `${title}${frameworkHistory === undefined ? " (skipped: the recorded releases are not beside the repository)" : ""}`,
  () => {
    const place = temporaryDirectory();
    const db = place.file("history.db");

    beforeAll(async () => {
      const folder = frameworkHistory as string;
      const releases = readReleases(folder);
      const store = await openStore(db, { mode: "write", now: () => 0 });
      await loadHistory(
        store.engine,
        folder,
        [0, 60, 100, 132, 133].map((i) => releases[i]).filter((release) => release !== undefined),
      );
      await store.close();
    });

    test("DuckDB reads every Parquet table and agrees with SQLite on counts and on a checksum of every column", async () => {
      const directory = place.file("parquet");
      await ended(runCli(["export", directory, "--db", db]));
      const part = join(directory, "part-000001");
      const tables = tablesOf(["archive", "view"], false);
      expect(readdirSync(part).sort()).toEqual(tables.map(({ name }) => `${name}.parquet`).sort());
      const instance = await DuckDBInstance.create(":memory:");
      const duck = await instance.connect();
      const door = await openExportDoor(db);
      const chain = door.chainId;
      const sqlite = new Database(db, { readonly: true });
      const versions = door.snapshots.map(({ ledgerVersion }) => ledgerVersion);
      let rows = 0;
      for (const table of tables) {
        const file = join(part, `${table.name}.parquet`);
        // Once a table: the largest views take seconds, and have a dozen columns.
        const names = table.columns.map(({ name }) => `"${name}"`).join(", ");
        const stored: readonly (readonly unknown[])[] =
          table.family === "archive"
            ? await Array.fromAsync(door.archiveRows(table.name as never, versions, []))
            : (sqlite.prepare(`SELECT ${names} FROM ${table.name}`).raw().safeIntegers().all() as unknown[][]);
        for (const [i, { name, type }] of table.columns.entries()) {
          const value = inDatabaseWords[type === "time" && table.family === "archive" ? "ms" : type].replace("?", `"${name}"`);
          const answer = await duck.runAndReadAll(`SELECT ${value} FROM read_parquet('${file}')`);
          const found = answer.getRows().map(([cell]) => cell as string | null);
          const expected = stored.map((row) => (table.family === "archive" && name === "chain_id" ? chain : row[i]));
          const texts = expected.map((cell) =>
            cell === null ? null : cell instanceof Uint8Array ? Buffer.from(cell).toString("hex") : String(cell),
          );
          expect([table.name, name, found.length, checksum(found)]).toEqual([table.name, name, texts.length, checksum(texts)]);
          rows += found.length;
        }
      }
      expect(rows).toBeGreaterThan(100_000);
      await door.close();
      sqlite.close();
      duck.closeSync();
    });

    test("imported again it is the same database", async () => {
      const copy = place.file("again.db");
      expect(await runCli(["import", db, "--db", copy])).toMatchObject({ code: 0, stderr: "" });
      const [{ snapshot_sources: _, ...found }, { snapshot_sources: __, ...expected }] = [contentDigests(copy), contentDigests(db)];
      expect(found).toEqual(expected);
    });

    test("typings of all modules compile under strict rules, and calls are checked through Surf's way and the official SDK", async () => {
      const project = place.file("project");
      mkdirSync(project);
      const result = await runCli(["export", join(project, "typings"), "--db", db, "--format", "ts", "--json"]);
      expect(result).toMatchObject({ code: 0, stderr: "" });
      expect(result.json()["missing"]).toEqual([]);
      expect(result.json()["files"]).toBeGreaterThan(150);
      copyFileSync(join(repository, "test/exchange/fixtures/calls.ts.txt"), join(project, "calls.ts"));
      symlinkSync(join(repository, "node_modules"), join(project, "node_modules"));
      const compilerOptions = {
        target: "es2022",
        module: "nodenext",
        strict: true,
        noEmit: true,
        skipLibCheck: true,
        exactOptionalPropertyTypes: true,
        noUncheckedIndexedAccess: true,
        noUnusedLocals: true,
        noUnusedParameters: true,
        erasableSyntaxOnly: true,
        verbatimModuleSyntax: true,
        types: ["node"],
      };
      writeFileSync(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["calls.ts", "typings/**/*.ts"] }));
      writeFileSync(join(project, "package.json"), '{"type":"module"}');
      const compiler = join(repository, "node_modules/typescript/bin/tsc");
      const compiled = await promisify(execFile)(process.execPath, [compiler, "-p", project]).catch((error: { stdout: string }) => error);
      expect(compiled.stdout).toBe("");
      const bigints = place.file("bigints");
      await runCli(["export", bigints, "--db", db, "--format", "ts", "--module", "0x1::coin", "--u64", "bigint"]);
      expect(readFileSync(join(bigints, "move.ts"), "utf8")).toContain("export type U64 = bigint;");
    });
  },
);

/** How many rows each view and table has, and one digest for all of them: there are hundreds of thousands. */
function contentDigests(path: string): Record<string, readonly [rows: number, digest: string]> {
  return Object.fromEntries(Object.entries(databaseContent(path)).map(([name, rows]) => [name, [rows.length, checksum(rows)] as const]));
}

/** One digest for all values of a column, whatever their order. */
function checksum(values: readonly (string | null)[]): string {
  const hash = createHash("sha256");
  for (const value of values.map((cell) => (cell === null ? "null" : `"${cell}"`)).sort()) hash.update(`${value}\n`);
  return hash.digest("hex");
}
