import { existsSync, type Stats, statSync } from "node:fs";
import Database from "better-sqlite3";
import { formatHex } from "../../../base/bytes.ts";
import type { Cell } from "../../../base/cell.ts";
import { printable } from "../../../base/printable.ts";
import { sha256Hex } from "../../../base/sha256.ts";
import { writeChecksum } from "../../schema/sql/checksum.ts";
import { workTables } from "../../schema/tables/work.ts";
import { placeError, type StoreError, unfinishedTables } from "../errors.ts";
import { fileError, translateSqliteError } from "./sqlite-errors.ts";

type Value = NonNullable<Cell>;

/** 48 bits: a number that no language rounds. */
const HEX_DIGITS = 12;
const END = "\u001f";

/** Teaches a connection the function that the word `checksum` calls: PostgreSQL has what it takes, SQLite has no hash. */
export function addChecksumFunction(database: Database.Database): void {
  const options = { varargs: true, deterministic: true, directOnly: true, safeIntegers: true } as const;
  database.function("movedex_checksum", options, (names: unknown, ...values: unknown[]) => {
    const text = (names as string)
      .split(" ")
      .map((name, index) => (values[index] === null ? "" : `${name}=${textOf(values[index] as Value)}${END}`))
      .join("");
    return BigInt(`0x${sha256Hex(text).slice(0, HEX_DIGITS)}`);
  });
}

function textOf(value: Value): string {
  return value instanceof Uint8Array ? formatHex(value) : `${value}`;
}

/** Writes the checksum of the row of `_archive`. Belongs into the transaction that wrote the row. */
export function writeArchiveChecksum(database: Database.Database): void {
  database.prepare(writeChecksum(workTables.archive).in("sqlite")).run({ id: 1 });
}

export function openFile(path: string, what: string, options: Database.Options): Database.Database {
  const there = statOf(path, what);
  if (there !== undefined && !there.isFile()) {
    const found = there.isDirectory() ? "a directory" : "no regular file";
    const text = `could not open the ${what} \`${printable(path)}\`: it is ${found}. Name a file.`;
    throw placeError(path, "MOVEDEX_STORE_CANNOT_OPEN", text);
  }
  try {
    const database = new Database(path, options);
    // A file may come from anybody: its views, checks and indexes may call no function that does more than compute.
    // better-sqlite3 opens in defensive mode by itself, so that the schema cannot be edited either.
    database.pragma("trusted_schema = OFF");
    addChecksumFunction(database);
    return database;
  } catch (error) {
    if (!(error instanceof TypeError)) throw translateSqliteError(error, `open the ${what}`, path, options.readonly !== true);
    // The one failure that better-sqlite3 finds itself, before SQLite is asked.
    const text = `could not open the ${what} \`${path}\`: its directory does not exist. Make it, or name another file.`;
    throw placeError(path, "MOVEDEX_STORE_CANNOT_OPEN", text, {}, error);
  }
}

function statOf(path: string, what: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    throw fileError(path, `open the ${what}`, error);
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

/** The number in a file's header by which movedex knows its own databases: "mvdx". */
export const APPLICATION_ID = 0x6d766478n;

/** How long to wait for another process's write to end before giving up, in milliseconds. Readers never make us wait. */
export const BUSY_TIMEOUT_MS = 10_000;

/** The same of a run that tries again by itself, and hears signals between its tries. */
export const BUSY_TRY_MS = 100;

/**
 * Makes sure that a file is a database of movedex's. An empty file may become ours when it is open for writing; one with tables of another
 * program must not. @returns whether it is movedex's already
 * @throws StoreError `MOVEDEX_STORE_FOREIGN`, and `MOVEDEX_STORE_OLDER` of an empty one that may only be read
 */
export function checkOwner(database: Database.Database, path: string): boolean {
  const id = BigInt(database.pragma("application_id", { simple: true }) as bigint | number);
  if (id === APPLICATION_ID) return true;
  const tables = Number(database.prepare("SELECT count(*) FROM sqlite_schema").pluck().get());
  if (id === 0n && tables === 0) {
    if (database.readonly) throw unfinishedTables(path);
    return false;
  }
  const text = `\`${path}\` is an SQLite database, but not one of movedex's. Name another file.`;
  throw placeError(path, "MOVEDEX_STORE_FOREIGN", text, { applicationId: id });
}

export function missingDatabase(path: string): StoreError {
  const text = `there is no database \`${path}\`. Name another, or make it with \`movedex sync\`.`;
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
