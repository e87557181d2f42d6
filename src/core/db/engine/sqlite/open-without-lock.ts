import { existsSync } from "node:fs";
import type Database from "better-sqlite3";
import type { JoinOptions, ReadOptions } from "../database.ts";
import type { Engine } from "../engine.ts";
import { olderTables, unfinishedTables } from "../errors.ts";
import { BUSY_TIMEOUT_MS, BUSY_TRY_MS, checkOwner, leaveSideFiles, missingDatabase, openFile } from "./open-file.ts";
import { sqliteEngine } from "./sqlite-engine.ts";
import { guarded } from "./sqlite-errors.ts";
import { assertTables, lackingTables } from "./tables/expected-schema.ts";
import { readSchemaState, readViewsDigest } from "./tables/migrate.ts";

/** Page cache of a connection that writes. Rows arrive in the order of their tables, so a larger cache would only take memory. */
const WRITER_PAGES_KB = 2000;

/** How long a run that ends waits for others, twice at most; signals wait with it. What is left undone then, the next one does. */
const CLOSE_WAIT_MS = 1_000;

/** An open database file: an engine, and its connection for what only SQLite has. It reads integers as bigint, so that none is rounded. */
export type OpenFile = { readonly database: Database.Database; readonly engine: Engine; readonly close: () => void };

/** Opens an existing file to read, or to write beside the run that has its lock. Loads nothing that only a run needs. @throws StoreError */
export function openWithoutLock(path: string, options: ReadOptions | JoinOptions): OpenFile {
  if (!existsSync(path)) throw missingDatabase(path);
  const readonly = options.mode === "read";
  const { whenBusy } = options;
  const { lockTimeoutMs = whenBusy ? BUSY_TRY_MS : BUSY_TIMEOUT_MS } = readonly ? options : {};
  const database = connect(path, { readonly, fileMustExist: true, timeout: lockTimeoutMs }, (found) => {
    checkOwner(found, path);
    if (!readonly) found.pragma("foreign_keys = ON");
    const { applied, known } = readSchemaState(found, path);
    if (applied === 0) throw unfinishedTables(path);
    if (applied < known) throw olderTables(path, applied, known);
    if (!assertTables(found, path, applied) && lackingTables(found).length > 0) throw olderTables(path, applied, known);
    if (readViewsDigest(found) === undefined) throw unfinishedTables(path);
  });
  const engine = sqliteEngine(database, path, whenBusy);
  const close = () => {
    void engine.close();
    closeFile(database, path);
  };
  return { database, engine, close };
}

/**
 * Closes a connection. One that wrote checkpoints the WAL, since closing does so only when nobody else has the file open, and a server may
 * have it open for weeks; one that was alone renews the planner's statistics before. Without changes the file stays as it is.
 */
export function closeFile(database: Database.Database, path: string, wasAlone = false): void {
  if (!database.open) return;
  const { readonly } = database;
  try {
    if (!readonly && database.prepare("SELECT total_changes()").pluck().get() !== 0n) {
      database.pragma(`busy_timeout = ${wasAlone ? CLOSE_WAIT_MS : 0}`);
      if (wasAlone) {
        // Of each index SQLite reads so many rows, which are those of the commonest types: with its own 2,000 it takes every type for one.
        database.pragma("analysis_limit = 200");
        database.pragma("optimize");
      }
      database.pragma("wal_checkpoint(TRUNCATE)");
    }
  } catch {
    // A full disk or a busy reader: what was written stays in the log, where every reader finds it.
  }
  database.close();
  if (!readonly) leaveSideFiles(path);
}

/** Connects to a file and makes the connection ready by `prepare`; closes it when that fails. @throws StoreError */
export function connect(path: string, options: Database.Options, prepare: (database: Database.Database) => void): Database.Database {
  return guarded(path, "open the database", () => {
    const database = openFile(path, "database", options);
    try {
      database.defaultSafeIntegers(true);
      if (options.readonly !== true) database.pragma(`cache_size = -${WRITER_PAGES_KB}`);
      prepare(database);
      return database;
    } catch (error) {
      database.close();
      throw error;
    }
  });
}
