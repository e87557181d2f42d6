import { existsSync } from "node:fs";
import type { Database } from "better-sqlite3";
import { placeError, type StoreError } from "../errors.ts";
import { openFile } from "./open-file.ts";

/** The number in a file's header by which movedex knows its own databases: "mvdx". */
export const APPLICATION_ID = 0x6d766478n;

/** How long to wait for another process's write to end before giving up, in milliseconds. Readers never make us wait. */
export const BUSY_TIMEOUT_MS = 10_000;

/** The same of a run that tries again by itself, and hears signals between its tries. */
export const BUSY_TRY_MS = 100;

/**
 * Makes sure that a file is a database of movedex's. An empty file may become ours when it is open for writing; one with tables of another
 * program must not. @returns whether it is movedex's already
 * @throws StoreError `MOVEDEX_STORE_FOREIGN`
 */
export function checkOwner(database: Database, path: string): boolean {
  const id = BigInt(database.pragma("application_id", { simple: true }) as bigint | number);
  if (id === APPLICATION_ID) return true;
  const tables = Number(database.prepare("SELECT count(*) FROM sqlite_schema").pluck().get());
  if (id === 0n && tables === 0 && !database.readonly) return false;
  const text = `\`${path}\` is an SQLite database, but not one of movedex's. Name another file with --db.`;
  throw placeError(path, "MOVEDEX_STORE_FOREIGN", text, { applicationId: id });
}

export function missingDatabase(path: string): StoreError {
  const text = `there is no database \`${path}\`. Name one with --db, or make it with \`movedex sync\`.`;
  return placeError(path, "MOVEDEX_STORE_MISSING", text);
}

/** The name of a file that is set aside at a moment (milliseconds since 1970); with a number where there is one of that name. */
export function datedName(prefix: string, now: number): string {
  const name = prefix + new Date(now).toISOString().replaceAll(/[-:]|\.\d+/g, "");
  let free = name;
  for (let n = 2; existsSync(free); n++) free = `${name}-${n}`;
  return free;
}

/**
 * Leaves the two side files of the WAL, empty, beside a closed database. SQLite removes them with the last writing connection, and someone
 * who may only read the file and its folder cannot make them, and so cannot read. A connection that only reads leaves them there.
 */
export function leaveSideFiles(path: string): void {
  try {
    const database = openFile(path, "database", { readonly: true, fileMustExist: true });
    database.pragma("schema_version");
    database.close();
  } catch {
    // A full disk, or a file that somebody took away: the database is closed all the same.
  }
}
