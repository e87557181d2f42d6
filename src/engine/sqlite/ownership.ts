import type { Database } from "better-sqlite3";
import { placeError, type StoreError } from "../errors.ts";

/** The number in a file's header by which movedex knows its own databases: "mvdx". */
export const APPLICATION_ID = 0x6d766478n;

/** How long to wait for another process's write to end before giving up, in milliseconds. Readers never make us wait. */
export const BUSY_TIMEOUT_MS = 10_000;

/**
 * Makes sure that a file is a database of movedex's. An empty one may become ours when it is open for writing; one with tables of another
 * program must not.
 *
 * @returns whether it is movedex's already
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
