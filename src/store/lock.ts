import Database from "better-sqlite3";
import { StoreError } from "./errors.ts";
import { openFile } from "./open-file.ts";
import { guarded } from "./sqlite-errors.ts";

/** The right to write to a database file, held until `release` or until the process ends in any way. */
export type Lock = { readonly release: () => void };

const HOLDER_TABLE = "CREATE TABLE IF NOT EXISTS holder (id INTEGER PRIMARY KEY, pid INTEGER NOT NULL, started_at TEXT NOT NULL) STRICT";

/**
 * Takes the write lock of a database file: a transaction, never finished, on the side file `<path>.lock`. The kernel
 * frees it when the process ends, kill -9 included, so there is no stale lock to take over and no heartbeat.
 *
 * The transaction is an immediate one, not exclusive: one process alone can hold it, and others can still read who does.
 * What the file says of its holder is for the message only.
 *
 * @throws StoreError `MOVEDEX_STORE_LOCKED` when another process holds it
 */
export function takeLock(path: string, now: number): Lock {
  const lockPath = `${path}.lock`;
  const database = openFile(lockPath, "lock file", { timeout: 0 });
  try {
    database.exec("BEGIN IMMEDIATE");
    database.exec(HOLDER_TABLE);
    database.prepare("INSERT OR REPLACE INTO holder VALUES (1, ?, ?)").run(process.pid, new Date(now).toISOString());
    // Written down first and locked again after: what an unfinished transaction writes, nobody else can read.
    database.exec("COMMIT; BEGIN IMMEDIATE");
  } catch (error) {
    const holder = isBusy(error) ? readHolder(database) : "";
    database.close();
    if (!isBusy(error)) guarded(lockPath, "lock", () => throwAgain(error));
    throw new StoreError(
      "MOVEDEX_STORE_LOCKED",
      `another run of movedex is working on \`${path}\`${holder}. Wait for it to end; only one may write at a time.`,
      { facts: { path }, cause: error },
    );
  }
  return { release: () => database.close() };
}

function isBusy(error: unknown): boolean {
  return error instanceof Database.SqliteError && error.code.startsWith("SQLITE_BUSY");
}

function readHolder(database: Database.Database): string {
  try {
    const row = database.prepare<[], { pid: number; started_at: string }>("SELECT pid, started_at FROM holder").get();
    return row === undefined ? "" : ` (process ${row.pid}, since ${row.started_at})`;
  } catch {
    return "";
  }
}

function throwAgain(error: unknown): never {
  throw error;
}
