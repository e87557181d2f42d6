import { accessSync, constants, copyFileSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import Database from "better-sqlite3";
import { printable } from "../../base/printable.ts";
import { placeError, StoreError } from "../errors.ts";
import { fileError } from "./file-errors.ts";
import { addChecksumFunction } from "./row-checksum.ts";
import { guarded } from "./sqlite-errors.ts";

/** Opens an SQLite file of any kind; every failure comes out as a `StoreError`. */
export function openFile(path: string, what: string, options: Database.Options): Database.Database {
  if (isDirectory(path, what)) {
    const text = `could not open the ${what} \`${printable(path)}\`: it is a directory. Name a file with --db.`;
    throw placeError(path, "MOVEDEX_STORE_CANNOT_OPEN", text);
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
    // SQLite does not say why it cannot make a file; the system says it of the directory.
    const denied = error instanceof StoreError && options.readonly !== true ? directoryFailure(path) : undefined;
    if (denied !== undefined) throw fileError(path, `open the ${what}`, denied);
    // The one failure that better-sqlite3 finds itself, before SQLite is asked.
    if (!(error instanceof TypeError)) throw error;
    const text = `could not open the ${what} \`${path}\`: its directory does not exist. Make it, or name another file with --db.`;
    throw placeError(path, "MOVEDEX_STORE_CANNOT_OPEN", text, {}, error);
  }
}

function isDirectory(path: string, what: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  } catch (error) {
    throw fileError(path, `open the ${what}`, error);
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
    if (!isRefused || directoryFailure(path) === undefined) return database;
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

/** Copies of this process, by what was copied; they are removed when it ends. */
const copies = new Map<string, string>();

/** Why nothing can be written beside a file; undefined where it can. */
function directoryFailure(path: string): unknown {
  try {
    accessSync(dirname(resolve(path)), constants.W_OK);
    return undefined;
  } catch (error) {
    return error;
  }
}

/**
 * A copy of a database, with its log, among the temporary files; the same one while the database has not changed. To read a write-ahead log
 * SQLite makes two files beside the database, which a read-only file system refuses, and better-sqlite3 cannot tell it that the file stays
 * as it is. Where the file system can, the copy shares the original's blocks. @throws StoreError `MOVEDEX_STORE_CANNOT_OPEN` when there is
 * no room for it
 */
function copyToRead(path: string): string {
  const key = [path, ...["", "-wal"].map((suffix) => stateOf(path + suffix))].join(" ");
  const known = copies.get(key);
  if (known !== undefined) return known;
  if (copies.size === 0) process.once("exit", () => removeAll(copies.values()));
  let copy: string | undefined;
  try {
    copy = join(mkdtempSync(join(tmpdir(), "movedex-reading-")), "copy.db");
    for (const suffix of ["", "-wal"]) {
      if (stateOf(path + suffix) !== undefined) copyFileSync(path + suffix, copy + suffix, constants.COPYFILE_FICLONE);
    }
    copies.set(key, copy);
    return copy;
  } catch (cause) {
    if (copy !== undefined) removeAll([copy]);
    const text =
      `could not open the database \`${printable(path)}\`: SQLite cannot read it in a directory that may not be written to, and no copy ` +
      `could be made in \`${tmpdir()}\`: ${printable(String(cause))}. Name another directory in TMPDIR, or read a backup made with \`movedex backup\`.`;
    throw placeError(path, "MOVEDEX_STORE_CANNOT_OPEN", text, {}, cause);
  }
}

/** What tells one state of a file from another; undefined when there is none. */
function stateOf(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false, bigint: true });
  return found && `${found.ino} ${found.size} ${found.mtimeNs}`;
}

function removeAll(paths: Iterable<string>): void {
  for (const path of paths) rmSync(dirname(path), { recursive: true, force: true });
}
