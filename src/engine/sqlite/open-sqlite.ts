import type Database from "better-sqlite3";
import { looseIndexes } from "../../schema/derived-indexes.ts";
import { sqliteDialect } from "../../schema/sql/sqlite-dialect.ts";
import { workTables } from "../../schema/tables/work.ts";
import type { OpenOptions, WriteOptions } from "../database.ts";
import { StoreError } from "../errors.ts";
import { type Lock, takeLock } from "./lock.ts";
import { connect, type OpenFile, openWithoutLock } from "./open-without-lock.ts";
import { APPLICATION_ID, BUSY_TIMEOUT_MS, checkOwner } from "./ownership.ts";
import { keepRoomForPlan } from "./plan-room.ts";
import { prepareChecksum } from "./row-checksum.ts";
import { leaveSideFiles } from "./side-files.ts";
import { sqliteEngine } from "./sqlite-engine.ts";
import { installViews } from "./tables/install-views.ts";
import { migrateDatabase } from "./tables/migrate.ts";
import { renewStatistics } from "./tables/statistics.ts";

/**
 * Opens a database file, ready to use: the right one, unlocked by others, with today's tables and views.
 *
 * Write-ahead log with `synchronous = NORMAL`: a commit survives a killed process; a power cut may lose the last
 * commits, never the file, and the next run does them again.
 *
 * @throws StoreError
 */
export function openSqlite(path: string, options: OpenOptions): OpenFile {
  if (options.mode === "write") return openToWrite(path, options);
  return openWithoutLock(path, options);
}

/** Failures that show a file to be another program's: a lock beside it would be of no use to any run. */
const notOurs: ReadonlySet<string> = new Set(["MOVEDEX_STORE_NOT_A_DATABASE", "MOVEDEX_STORE_FOREIGN"]);

function openToWrite(path: string, options: WriteOptions): OpenFile {
  const lock = takeLock(path, options.now());
  try {
    const database = connect(path, { timeout: BUSY_TIMEOUT_MS }, (fresh) => {
      const isOurs = checkOwner(fresh, path);
      fresh.pragma("journal_mode = WAL");
      fresh.pragma("synchronous = NORMAL");
      fresh.pragma("foreign_keys = ON");
      // Set before the first table is there, so that a file cut off while it was made is known as ours; and only then, since
      // setting it again would be a write to a file that may yet be refused.
      if (!isOurs) fresh.pragma(`application_id = ${APPLICATION_ID}`);
      migrateDatabase(fresh, path, options.now());
      const begun = fresh
        .prepare("INSERT OR IGNORE INTO _archive (id, created_by, created_at) VALUES (1, ?, ?)")
        .run(options.appVersion ?? "movedex", options.now());
      if (begun.changes > 0) prepareChecksum(fresh, workTables.archive)(1);
      installViews(fresh, options.viewsAnew);
      for (const { create } of looseIndexes) fresh.exec(create.in(sqliteDialect));
    });
    return { database, engine: sqliteEngine(database, path), close: () => closeBoth(database, lock, path) };
  } catch (error) {
    lock.release({ remove: error instanceof StoreError && notOurs.has(error.code) });
    throw error;
  }
}

function closeBoth(database: Database.Database, lock: Lock, path: string): void {
  if (!database.open) return;
  try {
    tidyUp(database);
    database.close();
    leaveSideFiles(path);
  } finally {
    lock.release();
  }
}

/**
 * Updates planner statistics of tables that grew, reserves room for the next plan, and checkpoints the WAL. A run without changes leaves
 * the file as it is.
 */
function tidyUp(database: Database.Database): void {
  try {
    if (database.prepare("SELECT total_changes()").pluck().get() === 0n) return;
    renewStatistics(database);
    keepRoomForPlan(database);
    database.pragma("wal_checkpoint(TRUNCATE)");
  } catch {
    // A full disk or a busy reader stops these, and neither loses anything: the next run does them.
  }
}
