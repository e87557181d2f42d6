import { existsSync, rmSync } from "node:fs";
import Database from "better-sqlite3";
import { followLinks } from "../../../base/files.ts";
import { printable } from "../../../base/printable.ts";
import type { LockName, Surrounding } from "../database.ts";
import { placeError, StoreError } from "../errors.ts";
import { openFile } from "./open-file.ts";
import { translateSqliteError } from "./sqlite-errors.ts";

export type Lock = {
  /** Frees the lock. `remove` takes the side file away too, which is safe only where no run can want it. */
  readonly release: (how?: { readonly remove: boolean }) => void;
};

/** What a lock is for: the side file that is locked, and what its holder does, as in "another run of movedex …". */
const purposes = {
  write: { suffix: ".lock", holder: "is working on", rule: "only one may write at a time" },
  backup: { suffix: ".backup.lock", holder: "is making a backup of", rule: "only one is made at a time" },
  night: { suffix: ".night.lock", holder: "is in the middle of the night of", rule: "nights come one after another" },
  tell: { suffix: ".tell.lock", holder: "is telling of the alerts of", rule: "one at a time does" },
  week: { suffix: ".week.lock", holder: "is in the middle of the weekly check of", rule: "checks come one after another" },
} as const satisfies Record<LockName, unknown>;

/** Files that SQLite and movedex make beside a database. */
export function sideFilesOf(path: string): string[] {
  return ["-wal", "-shm", "-journal", ...Object.values(purposes).map(({ suffix }) => suffix)].map((suffix) => besideFile(path, suffix));
}

/** A file beside a database has its name, whichever link to it was named. */
function besideFile(path: string, suffix: string): string {
  return (followLinks(path) ?? path) + suffix;
}

/** Connections that hold a lock: the collector of garbage would close one that nobody refers to, and free its lock. */
const holding = new Set<Database.Database>();

const HOLDER_TABLE = "CREATE TABLE holder (id INTEGER PRIMARY KEY, pid INTEGER NOT NULL, started_at TEXT NOT NULL) STRICT";

/**
 * Takes a lock of a database file, by default `write`: a transaction, never finished, on a side file such as `<path>.lock`. The
 * kernel frees it when the process ends, kill -9 included. It is an immediate transaction, so that others can still read who holds it, for
 * their message. @throws StoreError `MOVEDEX_STORE_LOCKED` when another process holds it
 */
export function takeLock(path: string, now: number, purpose: LockName = "write"): Lock {
  const database = beginOn(path, purpose, (begun) => {
    begun.exec(HOLDER_TABLE.replace("TABLE", "TABLE IF NOT EXISTS"));
    begun.prepare("INSERT OR REPLACE INTO holder VALUES (1, ?, ?)").run(process.pid, new Date(now).toISOString());
    // Committed first and locked again after: other processes cannot read what an unfinished transaction writes.
    begun.exec("COMMIT; BEGIN IMMEDIATE");
  });
  holding.add(database);
  return {
    release: ({ remove } = { remove: false }) => {
      holding.delete(database);
      if (remove) rmSync(besideFile(path, purposes[purpose].suffix), { force: true });
      database.close();
    },
  };
}

/** Begins a transaction on the side file of a lock, and does `work` in it. */
function beginOn(path: string, purpose: LockName, work?: (database: Database.Database) => void): Database.Database {
  const { suffix, holder: words, rule } = purposes[purpose];
  const lockPath = besideFile(path, suffix);
  const database = openFile(lockPath, "lock file", { timeout: 0 });
  try {
    database.exec("BEGIN IMMEDIATE");
    assertOwn(database, lockPath);
    work?.(database);
    return database;
  } catch (error) {
    const holder = isBusy(error) ? readHolder(database, lockPath) : "";
    database.close();
    if (error instanceof StoreError) throw error;
    if (error instanceof Database.SqliteError && error.code === "SQLITE_NOTADB") throw foreign(lockPath);
    if (!isBusy(error)) throw translateSqliteError(error, "lock", lockPath);
    const text = `another run of movedex ${words} \`${path}\`${holder}. Wait for it to end; ${rule}.`;
    throw placeError(path, "MOVEDEX_STORE_LOCKED", text, {}, error);
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof Database.SqliteError && error.code.startsWith("SQLITE_BUSY");
}

/** Makes sure that nothing but the table of its holder is in a side file: a trigger or a view of a stranger may have no end. */
function assertOwn(database: Database.Database, lockPath: string): void {
  const found = database.prepare<[], string | null>("SELECT sql FROM sqlite_schema").pluck().all();
  if (!found.every((text) => text === HOLDER_TABLE)) throw foreign(lockPath);
}

function foreign(lockPath: string): StoreError {
  const text = `\`${printable(lockPath)}\` stands where movedex has a lock file, and is a file of others. Move it away, then run again.`;
  return placeError(lockPath, "MOVEDEX_STORE_FOREIGN", text);
}

function readHolder(database: Database.Database, lockPath: string): string {
  try {
    assertOwn(database, lockPath);
    const row = database.prepare<[], { pid: number; started_at: string }>("SELECT pid, started_at FROM holder").get();
    return row === undefined ? "" : ` (process ${row.pid}, since ${row.started_at})`;
  } catch {
    return "";
  }
}

/** Who holds the locks of a database file, and which cannot be taken. One that is not there is nobody's, and is not made. */
export function lockStates(path: string): Surrounding[] {
  const names = (Object.keys(purposes) as LockName[]).filter((name) => existsSync(besideFile(path, purposes[name].suffix)));
  return names.flatMap((name): Surrounding[] => {
    try {
      beginOn(path, name).close();
      return [];
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      return [{ state: error.code === "MOVEDEX_STORE_LOCKED" ? "warn" : "fail", text: error.message }];
    }
  });
}
