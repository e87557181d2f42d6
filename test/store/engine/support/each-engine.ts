import { randomUUID } from "node:crypto";
import Database from "better-sqlite3";
import { describe } from "vitest";
import { named, sql } from "../../../../src/schema/sql/sql.ts";
import type { Engine } from "../../../../src/store/engine/engine.ts";
import { postgresEngine } from "../../../../src/store/engine/postgresql/postgresql-engine.ts";
import { sqliteEngine } from "../../../../src/store/engine/sqlite/sqlite-engine.ts";
import { sharedServers } from "../../../support/postgres/servers.ts";
import { temporaryDirectory } from "../../../support/temporary-directory.ts";

/** An engine on an empty database of its own. */
export type TestEngine = AsyncDisposable & { readonly engine: Engine };

/** Runs a suite once for each engine that can be had here: SQLite, and every PostgreSQL. */
export function eachEngine(name: string, suite: (open: () => Promise<TestEngine>, engine: Engine["name"]) => void): void {
  describe(`${name} on SQLite`, () => suite(openSqlite, "sqlite"));
  for (const { version, url, missing } of sharedServers) {
    if (url === undefined) describe.skip(`${name} on PostgreSQL ${version} (${missing})`, () => suite(openSqlite, "postgresql"));
    else describe(`${name} on PostgreSQL ${version}`, () => suite(() => openPostgres(url), "postgresql"));
  }
}

async function openSqlite(): Promise<TestEngine> {
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

async function openPostgres(url: string): Promise<TestEngine> {
  const schema = `test_${randomUUID().replaceAll("-", "")}`;
  const engine = await postgresEngine(url, { schema });
  await engine.run(sql`CREATE SCHEMA ${named(schema)}`);
  return {
    engine,
    [Symbol.asyncDispose]: async () => {
      await engine.run(sql`DROP SCHEMA ${named(schema)} CASCADE`);
      await engine.close();
    },
  };
}
