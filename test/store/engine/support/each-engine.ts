import Database from "better-sqlite3";
import { describe } from "vitest";
import type { Engine } from "../../../../src/store/engine/engine.ts";
import { sqliteEngine } from "../../../../src/store/engine/sqlite/sqlite-engine.ts";
import { temporaryDirectory } from "../../../support/temporary-directory.ts";

/** An engine on an empty database of its own. */
export type TestEngine = AsyncDisposable & { readonly engine: Engine };

/** Runs a suite once for each engine that can be had here. */
export function eachEngine(name: string, suite: (open: () => Promise<TestEngine>, engine: Engine["name"]) => void): void {
  describe(`${name} on SQLite`, () => suite(openSqlite, "sqlite"));
}

async function openSqlite(): Promise<TestEngine> {
  const directory = temporaryDirectory();
  const path = `${directory.path}/engine.db`;
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
