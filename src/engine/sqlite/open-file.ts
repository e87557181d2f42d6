import { statSync } from "node:fs";
import Database from "better-sqlite3";
import { printable } from "../../base/printable.ts";
import { StoreError } from "../errors.ts";
import { copyToRead, isDirectoryWritable } from "./read-only-copy.ts";
import { addChecksumFunction } from "./row-checksum.ts";
import { guarded } from "./sqlite-errors.ts";

/** Opens an SQLite file of any kind; every failure comes out as a `StoreError`. */
export function openFile(path: string, what: string, options: Database.Options): Database.Database {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) {
    const text = `could not open the ${what} \`${printable(path)}\`: it is a directory. Name a file with --db.`;
    throw new StoreError("MOVEDEX_STORE_CANNOT_OPEN", text, { facts: { path } });
  }
  try {
    return guarded(path, `open the ${what}`, () => {
      const database = options.readonly === true ? openToRead(path, options) : new Database(path, options);
      // A file may come from anybody: its views, checks and indexes may call no function that does more than compute.
      // better-sqlite3 opens in defensive mode by itself, so that the schema cannot be edited either.
      database.pragma("trusted_schema = OFF");
      addChecksumFunction(database);
      return database;
    });
  } catch (error) {
    // The one failure that better-sqlite3 finds itself, before SQLite is asked.
    if (!(error instanceof TypeError)) throw error;
    const text = `could not open the ${what} \`${path}\`: its directory does not exist. Make it, or name another file with --db.`;
    throw new StoreError("MOVEDEX_STORE_CANNOT_OPEN", text, { facts: { path }, cause: error });
  }
}

/** Opens a file to read, through a copy where SQLite cannot read it in its place. */
function openToRead(path: string, options: Database.Options): Database.Database {
  const database = new Database(path, options);
  try {
    database.pragma("schema_version");
    return database;
  } catch (error) {
    const isRefused = error instanceof Database.SqliteError && /^SQLITE_(CANTOPEN|READONLY)/.test(error.code);
    // Any other failure comes again where the caller reads, and is told there.
    if (!isRefused || isDirectoryWritable(path)) return database;
    database.close();
    return new Database(copyToRead(path), options);
  }
}

export function sqliteVersion(): string {
  const database = new Database(":memory:");
  try {
    return database.prepare<[], string>("SELECT sqlite_version()").pluck().get() ?? "unknown";
  } finally {
    database.close();
  }
}
