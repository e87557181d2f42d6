import Database from "better-sqlite3";
import { printable } from "../../base/printable.ts";
import { StoreError, type StoreErrorCode } from "../errors.ts";

/** SQLite's result codes, the longest prefix first where one begins another, and what each means for the person at the keyboard. */
const meanings: readonly (readonly [prefix: string, code: StoreErrorCode, sentence: string])[] = [
  ["SQLITE_BUSY", "MOVEDEX_STORE_BUSY", "another process is writing to it. Wait until it ends, then run again"],
  ["SQLITE_LOCKED", "MOVEDEX_STORE_BUSY", "another process is writing to it. Wait until it ends, then run again"],
  ["SQLITE_NOTADB", "MOVEDEX_STORE_NOT_A_DATABASE", "the file is not an SQLite database. Name another file with --db"],
  ["SQLITE_CORRUPT", "MOVEDEX_STORE_DAMAGED", "the file is damaged. Restore a copy, or try `sqlite3 FILE .recover`"],
  [
    "SQLITE_READONLY_DIRECTORY",
    "MOVEDEX_STORE_READ_ONLY",
    "its directory may not be written to, which SQLite needs. Change its permissions",
  ],
  ["SQLITE_READONLY", "MOVEDEX_STORE_READ_ONLY", "the file may not be written to. Change its permissions, or name another file with --db"],
  ["SQLITE_PERM", "MOVEDEX_STORE_READ_ONLY", "access was denied. Change the permissions, or name another file with --db"],
  ["SQLITE_AUTH", "MOVEDEX_STORE_READ_ONLY", "access was denied. Change the permissions, or name another file with --db"],
  [
    "SQLITE_CANTOPEN",
    "MOVEDEX_STORE_CANNOT_OPEN",
    "it cannot be opened. Check that the directory exists, that it may be written to, and that the path is a file",
  ],
  ["SQLITE_FULL", "MOVEDEX_STORE_FULL", "the disk is full. Nothing committed is lost: make room, then run again"],
  ["SQLITE_IOERR", "MOVEDEX_STORE_IO", "the disk or file system failed. Nothing committed is lost: check the disk, then run again"],
  ["SQLITE_NOMEM", "MOVEDEX_STORE_IO", "memory ran out. Nothing committed is lost: run again with more"],
];

/**
 * A failure of SQLite in movedex's words, by its result code and never by its text; any other error comes back as it is.
 *
 * @param wanted what was being done, as in "could not … `file`"
 */
export function translateSqliteError(error: unknown, wanted: string, path: string): unknown {
  if (!(error instanceof Database.SqliteError)) return error;
  const facts = { path, sqliteCode: error.code };
  const found = meanings.find(([prefix]) => error.code.startsWith(prefix));
  if (found === undefined) {
    const text = `could not ${wanted} \`${path}\`: ${printable(error.message)} (${error.code})`;
    return new StoreError("MOVEDEX_STORE_UNEXPECTED", text, { facts, cause: error });
  }
  const [, code, sentence] = found;
  return new StoreError(code, `could not ${wanted} \`${path}\`: ${sentence}. (${error.code})`, { facts, cause: error });
}

/** Runs a piece of work on a database and throws SQLite's failures as `StoreError`. */
export function guarded<T>(path: string, wanted: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw translateSqliteError(error, wanted, path);
  }
}
