import { accessSync, constants, statfsSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import Database from "better-sqlite3";
import { formatHex } from "../../../base/bytes.ts";
import type { Cell } from "../../../base/cell.ts";
import { formatBytes } from "../../../base/plural.ts";
import { printable } from "../../../base/printable.ts";
import { sha256Hex } from "../../../base/sha256.ts";
import { writeChecksum } from "../../schema/sql/checksum.ts";
import { workTables } from "../../schema/tables/work.ts";
import type { Surrounding } from "../database.ts";
import { placeError, StoreError } from "../errors.ts";
import { fileError, guarded } from "./sqlite-errors.ts";

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
  if (isDirectory(path, what)) {
    const text = `could not open the ${what} \`${printable(path)}\`: it is a directory. Name a file with --db.`;
    throw placeError(path, "MOVEDEX_STORE_CANNOT_OPEN", text);
  }
  try {
    return guarded(path, `open the ${what}`, () => {
      const database = new Database(path, options);
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

export function sqliteVersion(): string {
  const database = new Database(":memory:");
  try {
    return database.prepare<[], string>("SELECT sqlite_version()").pluck().get() ?? "unknown";
  } finally {
    database.close();
  }
}

/** Why nothing can be written beside a file; undefined where it can. */
function directoryFailure(path: string): unknown {
  try {
    accessSync(dirname(resolve(path)), constants.W_OK);
    return undefined;
  } catch (error) {
    return error;
  }
}

/** Less free space than this is worth a word: a first crawl of a large network with its indexes. */
const LOW_SPACE_BYTES = 1_000_000_000;

export function surroundingsOf(path: string): Surrounding[] {
  const directory = dirname(resolve(path));
  const unwritable = `the directory \`${directory}\` cannot be written to; SQLite needs to, for the database and the files beside it`;
  const found: Surrounding[] = directoryFailure(path) === undefined ? [] : [{ state: "fail", text: unwritable }];
  try {
    const { bavail, bsize } = statfsSync(directory);
    const free = bavail * bsize;
    found.push({ state: free < LOW_SPACE_BYTES ? "warn" : "ok", text: `${formatBytes(free)} free on its disk` });
  } catch {
    // Some file systems do not tell.
  }
  return found;
}
