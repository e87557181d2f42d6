import { randomUUID } from "node:crypto";
import Database from "better-sqlite3";
import { describe } from "vitest";
import type { Engine } from "../../../src/engine/engine.ts";
import { openPostgres } from "../../../src/engine/postgresql/open-postgres.ts";
import { postgresEngine } from "../../../src/engine/postgresql/postgresql-engine.ts";
import { openSqlite } from "../../../src/engine/sqlite/open-sqlite.ts";
import { sqliteEngine } from "../../../src/engine/sqlite/sqlite-engine.ts";
import { named, sql } from "../../../src/schema/sql/sql.ts";
import { sharedServers } from "../../support/postgres/servers.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

/** An engine on a database of its own. */
export type TestEngine = AsyncDisposable & { readonly engine: Engine };

type Suite = (open: () => Promise<TestEngine>, engine: Engine["dialect"]["engine"]) => void;

/** Runs a suite once for each engine that can be had here, on empty databases: SQLite, and every PostgreSQL. */
export function eachEngine(name: string, suite: Suite): void {
  eachOf(name, suite, emptyFile, emptySchema);
}

/** Runs a suite once for each engine that can be had here, on databases with movedex's tables. */
export function eachArchive(name: string, suite: Suite): void {
  eachOf(name, suite, archiveFile, archiveSchema);
}

function eachOf(name: string, suite: Suite, onSqlite: () => Promise<TestEngine>, onPostgres: (url: string) => Promise<TestEngine>): void {
  describe(`${name} on SQLite`, () => suite(onSqlite, "sqlite"));
  for (const { version, url, missing } of sharedServers) {
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
    [Symbol.asyncDispose]: async () => {
      database.close();
      directory[Symbol.dispose]();
    },
  };
}

async function archiveFile(): Promise<TestEngine> {
  const directory = temporaryDirectory();
  const { engine, close } = openSqlite(directory.file("archive.db"), { mode: "write", now: () => 0 });
  return {
    engine,
    [Symbol.asyncDispose]: async () => {
      close();
      directory[Symbol.dispose]();
    },
  };
}

async function emptySchema(url: string): Promise<TestEngine> {
  const schema = freshSchema();
  const engine = await postgresEngine(url, { schema });
  await engine.run(sql`CREATE SCHEMA ${named(schema)}`);
  return droppedAfterwards(engine, schema);
}

async function archiveSchema(url: string): Promise<TestEngine> {
  const schema = freshSchema();
  return droppedAfterwards(await openPostgres(url, { mode: "write", now: () => 0, schema }), schema);
}

function freshSchema(): string {
  return `test_${randomUUID().replaceAll("-", "")}`;
}

function droppedAfterwards(engine: Engine, schema: string): TestEngine {
  return {
    engine,
    [Symbol.asyncDispose]: async () => {
      await engine.run(sql`DROP SCHEMA ${named(schema)} CASCADE`);
      await engine.close();
    },
  };
}
