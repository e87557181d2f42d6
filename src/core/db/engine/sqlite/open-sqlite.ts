import Database from "better-sqlite3";
import { secondaryIndexes } from "../../schema/tables/derived.ts";
import type { WriteOptions } from "../database.ts";
import type { Engine } from "../engine.ts";
import { StoreError } from "../errors.ts";
import { type Lock, takeLock } from "./lock.ts";
import { APPLICATION_ID, BUSY_TIMEOUT_MS, BUSY_TRY_MS, checkOwner, writeArchiveChecksum } from "./open-file.ts";
import { closeFile, connect, type OpenFile } from "./open-without-lock.ts";
import { sqliteEngine } from "./sqlite-engine.ts";
import { guarded } from "./sqlite-errors.ts";
import { assertTables, lackingTables } from "./tables/expected-schema.ts";
import { addTables, hasViews, makeTables, migrateDatabase, readSchemaState } from "./tables/migrate.ts";

/** Failures that show a file to be another program's: a lock beside it would be of no use to any run. */
const notOurs: ReadonlySet<string> = new Set(["MOVEDEX_STORE_NOT_A_DATABASE", "MOVEDEX_STORE_FOREIGN"]);

/**
 * Opens a database file to write, locked, with today's tables and views. Write-ahead log with `synchronous = NORMAL`: a commit survives a
 * killed process; a power cut may lose the last commits, never the file, and the next run does them again. @throws StoreError
 */
export async function openSqlite(path: string, options: WriteOptions): Promise<OpenFile> {
  const lock = takeLock(path, options.now());
  let lacksViews = false;
  try {
    const database = connect(path, { timeout: options.whenBusy ? BUSY_TRY_MS : BUSY_TIMEOUT_MS }, (fresh) => {
      const isOurs = checkOwner(fresh, path);
      fresh.pragma("journal_mode = WAL");
      fresh.pragma("synchronous = NORMAL");
      fresh.pragma("foreign_keys = ON");
      // Set before the first table is there, so that a file cut off while it was made is known as ours; and only then, since
      // setting it again would be a write to a file that may yet be refused.
      if (!isOurs) fresh.pragma(`application_id = ${APPLICATION_ID}`);
      const { applied } = readSchemaState(fresh, path);
      if (applied > 0) {
        const isToday = assertTables(fresh, path, applied);
        migrateDatabase(fresh, path, options.now());
        if (!isToday) addTables(fresh, lackingTables(fresh));
      } else makeTables(fresh);
      const begun = fresh
        .prepare("INSERT OR IGNORE INTO _archive (id, created_by, created_at) VALUES (1, ?, ?)")
        .run(options.appVersion ?? "movedex", options.now());
      if (begun.changes > 0) writeArchiveChecksum(fresh);
      lacksViews = options.viewsAnew === true || !hasViews(fresh);
    });
    try {
      const views = lacksViews ? await import("./tables/install-views.ts") : undefined;
      guarded(path, "open the database", () => {
        views?.installViews(database, { replaces: options.viewsAnew === true });
        for (const { create } of secondaryIndexes) database.exec(create.in("sqlite"));
      });
      const engine = sqliteEngine(database, path, options.whenBusy);
      return { database, engine, close: () => closeBoth(database, engine, lock, path) };
    } catch (error) {
      database.close();
      throw error;
    }
  } catch (error) {
    lock.release({ remove: error instanceof StoreError && notOurs.has(error.code) });
    throw error;
  }
}

function closeBoth(database: Database.Database, engine: Engine, lock: Lock, path: string): void {
  if (!database.open) return;
  try {
    void engine.close();
    closeFile(database, path, true);
  } finally {
    lock.release();
  }
}

const PLACE = ":memory:";

/** Opens a new database in memory with movedex's tables, without views and the indexes that only questions need. Gone when it is closed. */
export function openScratch(): OpenFile {
  const database = new Database(PLACE).defaultSafeIntegers(true);
  makeTables(database);
  return { database, engine: sqliteEngine(database, PLACE), close: () => database.close() };
}
