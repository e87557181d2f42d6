import { existsSync } from "node:fs";
import Database from "better-sqlite3";
import { secondaryIndexes } from "../../schema/tables/derived.ts";
import type { JoinOptions, ReadOptions, WriteOptions } from "../database.ts";
import type { Engine } from "../engine.ts";
import { olderTables, StoreError, unfinishedTables } from "../errors.ts";
import { type Lock, takeLock } from "./lock.ts";
import {
  APPLICATION_ID,
  BUSY_TIMEOUT_MS,
  BUSY_TRY_MS,
  checkOwner,
  leaveSideFiles,
  missingDatabase,
  openFile,
  writeArchiveChecksum,
} from "./open-file.ts";
import { sqliteEngine } from "./sqlite-engine.ts";
import { translateSqliteError } from "./sqlite-errors.ts";
import { assertTables, lackingTables } from "./tables/expected-schema.ts";
import { addTables, hasViews, makeTables, migrateDatabase, readSchemaState, readViewsDigest } from "./tables/migrate.ts";

/** An open database file: an engine, and its connection for what only SQLite has. It reads integers as bigint, so that none is rounded. */
export type OpenFile = { readonly database: Database.Database; readonly engine: Engine; readonly close: () => void };

/** Failures that show a file to be another program's: a lock beside it would be of no use to any run. */
const notOurs: ReadonlySet<string> = new Set(["MOVEDEX_STORE_NOT_A_DATABASE", "MOVEDEX_STORE_FOREIGN"]);

/**
 * Opens a database file to write, locked, with today's tables and views. Write-ahead log with `synchronous = NORMAL`: a commit survives a
 * killed process; a power cut may lose the last commits, never the file, and the next run does them again. @throws StoreError
 */
export async function openSqlite(path: string, options: WriteOptions): Promise<OpenFile> {
  const { now, appVersion = "movedex", viewsAnew: replaces = false, whenBusy, onNotice } = options;
  const lock = takeLock(path, now());
  try {
    return await connect(path, { timeout: whenBusy ? BUSY_TRY_MS : BUSY_TIMEOUT_MS }, async (database) => {
      const isOurs = checkOwner(database, path);
      database.pragma("journal_mode = WAL");
      database.pragma("synchronous = NORMAL");
      database.pragma("foreign_keys = ON");
      // Set before the first table is there, so that a file cut off while it was made is known as ours; and only then, since
      // setting it again would be a write to a file that may yet be refused.
      if (!isOurs) database.pragma(`application_id = ${APPLICATION_ID}`);
      const { applied } = readSchemaState(database, path);
      if (applied > 0) {
        const isToday = assertTables(database, path, applied);
        const copy = migrateDatabase(database, path, now());
        if (copy !== undefined)
          onNotice?.(`brought the tables up to date; the database as it was stays as \`${copy}\` until you delete it`);
        if (!isToday) addTables(database, lackingTables(database));
      } else makeTables(database);
      const add = database.prepare("INSERT OR IGNORE INTO _archive (id, created_by, created_at) VALUES (1, ?, ?)");
      if (add.run(appVersion, now()).changes > 0) writeArchiveChecksum(database);
      if (replaces || !hasViews(database)) (await import("./tables/install-views.ts")).installViews(database, { replaces });
      for (const { create } of secondaryIndexes) database.exec(create.in("sqlite"));
      return openedFile(database, path, whenBusy, lock);
    });
  } catch (error) {
    lock.release({ remove: error instanceof StoreError && notOurs.has(error.code) });
    throw error;
  }
}

/** Opens an existing file to read, or to write beside the run that has its lock. @throws StoreError */
export async function openWithoutLock(path: string, options: ReadOptions | JoinOptions): Promise<OpenFile> {
  if (!existsSync(path)) throw missingDatabase(path);
  const readonly = options.mode === "read";
  const { whenBusy } = options;
  const { lockTimeoutMs: timeout = whenBusy ? BUSY_TRY_MS : BUSY_TIMEOUT_MS } = readonly ? options : {};
  return connect(path, { readonly, fileMustExist: true, timeout }, (database) => {
    checkOwner(database, path);
    if (!readonly) database.pragma("foreign_keys = ON");
    const { applied, known } = readSchemaState(database, path);
    if (applied === 0) throw unfinishedTables(path);
    if (applied < known) throw olderTables(path, applied, known);
    if (!assertTables(database, path, applied) && lackingTables(database).length > 0) throw olderTables(path, applied, known);
    if (readViewsDigest(database) === undefined) throw unfinishedTables(path);
    return openedFile(database, path, whenBusy);
  });
}

const PLACE = ":memory:";

/** Opens a new database in memory with movedex's tables, without views and the indexes that only questions need. Gone when it is closed. */
export function openScratch(): OpenFile {
  const database = new Database(PLACE).defaultSafeIntegers(true);
  makeTables(database);
  return { database, engine: sqliteEngine(database, PLACE), close: () => database.close() };
}

/** Page cache of a connection that writes. Rows arrive in the order of their tables, so a larger cache would only take memory. */
const WRITER_PAGES_KB = 2000;

/** Connects to a file and gives what `use` makes of the connection; closes it when that fails. @throws StoreError */
async function connect(path: string, options: Database.Options, use: (database: Database.Database) => OpenFile | Promise<OpenFile>) {
  const database = openFile(path, "database", options);
  try {
    database.defaultSafeIntegers(true);
    if (options.readonly !== true) database.pragma(`cache_size = -${WRITER_PAGES_KB}`);
    return await use(database);
  } catch (error) {
    database.close();
    throw translateSqliteError(error, "open the database", path);
  }
}

function openedFile(database: Database.Database, path: string, whenBusy: ReadOptions["whenBusy"], lock?: Lock): OpenFile {
  const engine = sqliteEngine(database, path, whenBusy);
  const close = () => {
    void engine.close();
    try {
      closeFile(database, path, lock !== undefined);
    } finally {
      lock?.release();
    }
  };
  return { database, engine, close };
}

/** How long a run that ends waits for others, twice at most; signals wait with it. What is left undone then, the next one does. */
const CLOSE_WAIT_MS = 1_000;

/**
 * Closes a connection. One that wrote checkpoints the WAL, since closing does so only when nobody else has the file open, and a server may
 * have it open for weeks; one that was alone renews the planner's statistics before. Without changes the file stays as it is.
 */
function closeFile(database: Database.Database, path: string, wasAlone: boolean): void {
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
