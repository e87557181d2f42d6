import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import Database from "better-sqlite3";
import { describe, expect } from "vitest";
import { readChain } from "../../../src/core/db/archive/chain.ts";
import { snapshotQueries } from "../../../src/core/db/archive/snapshots/snapshot-queries.ts";
import { databaseAt } from "../../../src/core/db/engine/database-at.ts";
import { translateSqliteError } from "../../../src/core/db/engine/sqlite/sqlite-errors.ts";
import { relations } from "../../../src/core/db/schema/documentation.ts";
import { viewList } from "../../../src/core/db/schema/views/views.ts";
import { runQueries } from "../../../src/core/work/runs/runs.ts";
import { openStore } from "../../../src/core/work/store.ts";
import { changeFile, NOON, rowsOf, temporaryStore, test } from "../../support/index.ts";

const write = { mode: "write", now: () => NOON } as const;
const read = { mode: "read" } as const;
const coded = (code: string) => expect.objectContaining({ code });

describe("openStore", () => {
  test("makes a database with today's views, and leaves an empty log behind for those who may only read", async ({ place }) => {
    const path = `${place.path}/archive.db`;
    await (await openStore(path, { ...write, appVersion: "9.9.9" })).close();
    expect(readdirSync(place.path).sort()).toEqual(["archive.db", "archive.db-shm", "archive.db-wal", "archive.db.lock"]);
    expect(statSync(`${path}-wal`).size).toBe(0);
    expect(rowsOf(path, "SELECT created_by, created_at, chain_id FROM _archive")).toEqual([
      { created_by: "9.9.9", created_at: NOON, chain_id: null },
    ]);
    expect(rowsOf(path, "PRAGMA journal_mode")).toEqual([{ journal_mode: "wal" }]);
    for (const { name } of viewList) rowsOf(path, `SELECT * FROM ${name}`);
  });

  test("folds the log into the file, and leaves an empty one, when one that joined closes beside a reader", async () => {
    await using at = await temporaryStore();
    await at.close();
    await using server = await openStore(at.path, read);
    expect(await readChain(server.engine)).toBeNull();
    const joined = await openStore(at.path, { mode: "join" });
    await snapshotQueries(joined.engine).bindChain(4);
    expect(statSync(`${at.path}-wal`).size).toBeGreaterThan(0);
    await joined.close();
    await joined.close();
    expect(statSync(`${at.path}-wal`).size).toBe(0);
    expect(await readChain(server.engine)).toBe(4);
  });

  test("describes in the database every column of every view and table", async () => {
    await using at = await temporaryStore();
    const told = rowsOf(at.path, "SELECT relation, kind, position, column_name AS column, type, meaning FROM documentation");
    const line = (row: unknown): string => JSON.stringify(row);
    expect(told.map(line).sort()).toEqual(relations.flatMap(({ columns }) => columns.map(line)).sort());
  });

  test("reads beside a writer, and changes nothing", async () => {
    await using at = await temporaryStore();
    const reader = await openStore(at.path, read);
    expect(await readChain(reader.engine)).toBeNull();
    await snapshotQueries(at.engine).bindChain(4);
    expect(await readChain(reader.engine)).toBe(4);
    await expect(() => snapshotQueries(reader.engine).bindChain(5)).rejects.toThrow(coded("MOVEDEX_STORE_CHAIN"));
    await expect(() => runQueries(reader.engine).startRun({ command: "sync", appVersion: "1", now: NOON })).rejects.toThrow(
      coded("MOVEDEX_STORE_READ_ONLY"),
    );
    await reader.close();
    await reader.close();
  });

  test("says of a file that was cut off before its views were made that whoever writes ends it", async () => {
    await using at = await temporaryStore();
    await at.close();
    const drops = viewList.map(({ name }) => `DROP VIEW ${name}`);
    changeFile(at.path, [...drops, "UPDATE _archive SET views_digest = NULL"].join("; "));
    const unfinished = { code: "MOVEDEX_STORE_OLDER", message: expect.stringContaining("was not made to its end") };
    for (const mode of ["read", "join"] as const) await expect(openStore(at.path, { mode })).rejects.toMatchObject(unfinished);
    writeFileSync(`${at.path}.empty`, "");
    await expect(openStore(`${at.path}.empty`, read)).rejects.toMatchObject(unfinished);
    await (await openStore(at.path, write)).close();
    await (await openStore(at.path, read)).close();
  });

  test("refuses somebody else's file, to read it too, and leaves it as it is", async ({ place }) => {
    const foreign = `${place.path}/foreign.db`;
    new Database(foreign).exec("CREATE TABLE theirs (x)").close();
    for (const options of [write, read]) await expect(() => openStore(foreign, options)).rejects.toThrow(coded("MOVEDEX_STORE_FOREIGN"));
    expect(rowsOf(foreign, "SELECT name FROM sqlite_schema")).toEqual([{ name: "theirs" }]);
  });
});

test("a link to a database has its locks, also one that leads to a file which is not there yet", async ({ place }) => {
  const [path, link] = [place.file("archive.db"), place.file("link.db")];
  symlinkSync("archive.db", link);
  expect(databaseAt(link).name).toBe(databaseAt(path).name);
  for (const [first, second] of [
    [link, path],
    [path, link],
  ] as const) {
    await using _ = await openStore(first, write);
    await expect(openStore(second, write)).rejects.toThrow(coded("MOVEDEX_STORE_LOCKED"));
  }
  expect(readdirSync(place.path).sort()).toEqual(["archive.db", "archive.db-shm", "archive.db-wal", "archive.db.lock", "link.db"]);
});

const endless = "WITH RECURSIVE c (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT max(n) AS pid, 'x' AS started_at FROM c";
test.for([
  ["a trigger without an end", "CREATE TABLE holder (id, pid, started_at)", `CREATE TRIGGER t INSERT ON holder BEGIN ${endless}; END`],
  ["a view without an end", `CREATE VIEW holder AS ${endless}`],
  ["a table of others", "CREATE TABLE theirs (x)"],
])("a database with %s in the place of a lock file is refused, and left as it is", async ([, ...statements], { place }) => {
  const [path, lockFile] = [place.file("archive.db"), place.file("archive.db.lock")];
  const stranger = new Database(lockFile);
  for (const statement of statements) stranger.exec(statement);
  const before = readFileSync(lockFile);
  const refused = expect.objectContaining({ code: "MOVEDEX_STORE_FOREIGN", message: expect.stringContaining("Move it away") });
  await expect(openStore(path, write)).rejects.toEqual(refused);
  expect(readFileSync(lockFile)).toEqual(before);
  // Whoever holds it is not read out of it.
  stranger.exec("BEGIN IMMEDIATE");
  await expect(openStore(path, write)).rejects.toThrow(/another run of movedex is working on `\S+`\. Wait for it to end/);
  stranger.close();
});

test("a file in the place of a lock file that is no database is named, and not the database", async ({ place }) => {
  writeFileSync(place.file("archive.db.lock"), "no database ".repeat(100));
  await expect(openStore(place.file("archive.db"), write)).rejects.toMatchObject({
    code: "MOVEDEX_STORE_FOREIGN",
    message: expect.stringMatching(/archive\.db\.lock` stands where movedex has a lock file, and is a file of others\. Move it away/),
  });
});

test("the lock is held while the process lives, whatever refers to it, and freed by kill -9", async ({ place }) => {
  const path = `${place.path}/archive.db`;
  const program = fileURLToPath(new URL("../../support/store/hold-store.ts", import.meta.url));
  const holder = spawn(process.execPath, ["--expose-gc", program, path], { stdio: ["ignore", "pipe", "inherit"] });
  await once(holder.stdout, "data");
  await expect(openStore(path, write)).rejects.toThrow(`process ${holder.pid}`);
  holder.kill("SIGKILL");
  await once(holder, "exit");
  await using store = await openStore(path, write);
  expect(await snapshotQueries(store.engine).progress(10n)).toEqual({ planned: 2, visited: 0, missed: 0 });
});

describe("translateSqliteError", () => {
  const codes: readonly (readonly [string, string])[] = [
    ["SQLITE_BUSY_SNAPSHOT", "MOVEDEX_STORE_BUSY"],
    ["SQLITE_READONLY_DIRECTORY", "MOVEDEX_STORE_READ_ONLY"],
    ["SQLITE_READONLY", "MOVEDEX_STORE_READ_ONLY"],
    ["SQLITE_CORRUPT_INDEX", "MOVEDEX_STORE_DAMAGED"],
    ["SQLITE_IOERR_WRITE", "MOVEDEX_STORE_IO"],
    ["SQLITE_IOERR_SHMSIZE", "MOVEDEX_STORE_FULL"],
    ["SQLITE_CONSTRAINT_UNIQUE", "MOVEDEX_STORE_UNEXPECTED"],
  ];
  test.each(codes)("knows %s by its code", (sqlite, code) => {
    const error = new Database.SqliteError("whatever SQLite says", sqlite);
    const facts = { path: "night.db", sqliteCode: sqlite };
    expect(translateSqliteError(error, "read", "night.db")).toMatchObject({ code, cause: error, facts });
  });
});
