import { randomUUID } from "node:crypto";
import Database from "better-sqlite3";
import { describe } from "vitest";
import { openPostgres } from "../../../src/capabilities/postgresql/open-server.ts";
import { postgresEngine } from "../../../src/capabilities/postgresql/postgresql-engine.ts";
import type { Engine } from "../../../src/core/db/engine/engine.ts";
import { openSqlite } from "../../../src/core/db/engine/sqlite/open-sqlite.ts";
import { sqliteEngine } from "../../../src/core/db/engine/sqlite/sqlite-engine.ts";
import { type Dialect, named, sql } from "../../../src/core/db/schema/sql/sql.ts";
import { isLongRun } from "../../run-size.ts";
import { temporaryDirectory, writeNewArchive } from "../../support/index.ts";
import { sharedServers } from "../../support/postgres/servers.ts";
import { openDatabase } from "./postgres-databases.ts";

/** An engine on a database of its own. */
export type TestEngine = AsyncDisposable & { readonly engine: Engine; readonly dialect: Dialect };

type Suite = (open: () => Promise<TestEngine>, engine: Dialect) => void;

/** Runs a suite once for each engine that can be had here, on empty databases: SQLite, and every PostgreSQL. */
export function eachEngine(name: string, suite: Suite): void {
  eachOf(name, suite, emptyFile, emptySchema);
}

/**
 * Runs a suite on databases with movedex's tables: on SQLite, and in the long run on every PostgreSQL that can be had here.
 * What the engines do alike is shown by `eachEngine` in the short run.
 */
export function eachArchive(name: string, suite: Suite): void {
  eachOf(name, suite, archiveFile, archiveDatabase, isLongRun);
}

function eachOf(
  name: string,
  suite: Suite,
  onSqlite: () => Promise<TestEngine>,
  onPostgres: (url: string) => Promise<TestEngine>,
  withServers = true,
): void {
  describe(`${name} on SQLite`, () => suite(onSqlite, "sqlite"));
  for (const { version, url, missing } of withServers ? sharedServers : []) {
    if (url === undefined) describe.skip(`${name} on PostgreSQL ${version} (${missing})`, () => suite(onSqlite, "postgresql"));
    else describe(`${name} on PostgreSQL ${version}`, () => suite(() => onPostgres(url), "postgresql"));
  }
}

async function emptyFile(): Promise<TestEngine> {
  const directory = temporaryDirectory();
  const path = directory.file("engine.db");
  const database = new Database(path);
  database.pragma("journal_mode = WAL");
  return {
    engine: sqliteEngine(database, path),
    dialect: "sqlite",
    [Symbol.asyncDispose]: async () => {
      database.close();
      directory[Symbol.dispose]();
    },
  };
}

async function archiveFile(): Promise<TestEngine> {
  const directory = temporaryDirectory();
  const path = directory.file("archive.db");
  await writeNewArchive(path);
  const { engine, close } = await openSqlite(path, { mode: "write", now: () => 0 });
  return {
    engine,
    dialect: "sqlite",
    [Symbol.asyncDispose]: async () => {
      close();
      directory[Symbol.dispose]();
    },
  };
}

async function emptySchema(url: string): Promise<TestEngine> {
  const schema = `test_${randomUUID().replaceAll("-", "")}`;
  const engine = await postgresEngine(`${url}?schema=${schema}`);
  await engine.run(sql`CREATE SCHEMA ${named(schema)}`);
  return {
    engine,
    dialect: "postgresql",
    [Symbol.asyncDispose]: async () => {
      await engine.run(sql`DROP SCHEMA ${named(schema)} CASCADE`);
      await engine.close();
    },
  };
}

/** A database with movedex's tables, copied from the first one of this process. */
async function archiveDatabase(url: string): Promise<TestEngine> {
  const port = Number(new URL(url).port);
  const template = newDatabases.get(port) ?? makeDatabase(port);
  newDatabases.set(port, template);
  const { url: copy } = await openDatabase(port, `TEMPLATE ${await template} STRATEGY FILE_COPY`);
  const engine = await openPostgres(copy(), { mode: "write", now: () => 0 });
  return { engine, dialect: "postgresql", [Symbol.asyncDispose]: () => engine.close() };
}

/** By the port of their server. */
const newDatabases = new Map<number, Promise<string>>();

async function makeDatabase(port: number): Promise<string> {
  const { name, url } = await openDatabase(port);
  await (await openPostgres(url(), { mode: "write", now: () => 0 })).close();
  return name;
}
