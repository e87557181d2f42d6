import { existsSync, statSync } from "node:fs";
import { resolve, sep } from "node:path";
import { closing } from "../../base/async.ts";
import { followLinks, isDatabaseFile } from "../../base/files.ts";
import { printable } from "../../base/printable.ts";
import { sql } from "../schema/sql/sql.ts";
import type { Database } from "./database.ts";
import type { Engine } from "./engine.ts";
import { placeError, type StoreError } from "./errors.ts";
import { isAddress, serverDatabases } from "./place.ts";
import { countOf } from "./row-shape.ts";
import { fileError, patiently } from "./sqlite/sqlite-errors.ts";

/** A new database in memory with movedex's tables; see `openScratch` of SQLite. */
export async function openScratch(): Promise<{ readonly engine: Engine; readonly close: () => void }> {
  return (await import("./sqlite/open-sqlite.ts")).openScratch();
}

export async function sqliteVersion(): Promise<string> {
  return (await import("./sqlite/open-file.ts")).sqliteVersion();
}

/** The database at a place: the path of a file, or the complete address of one on a server. Nothing is opened or loaded yet. */
export function databaseAt(place: string): Database {
  return isAddress(place) ? serverDatabases().at(place) : sqliteDatabase(place);
}

const dataVersion = sql`PRAGMA data_version`;

function sqliteDatabase(path: string): Database {
  return {
    // One archive has one name, whichever link to its file was named.
    name:
      path &&
      resolve(followLinks(path) ?? path)
        .split(sep)
        .slice(-2)
        .join("/"),
    engine: "sqlite",
    isShareable: false,
    stopsStatements: false,
    absence: "is not there yet; the first `sync` makes it",
    files: async () => [path, ...(await import("./sqlite/lock.ts")).sideFilesOf(path)],
    isThere: async () => existsSync(path),
    isDatabase: async () => isDatabaseFile(path),
    open: async (options) => {
      const before = fileAt(path);
      const { openSqlite, openWithoutLock } = await import("./sqlite/open-sqlite.ts");
      const opening = () => (options.mode === "write" ? openSqlite(path, options) : openWithoutLock(path, options));
      const { engine, close } = await patiently(opening, options.whenBusy);
      const opened = fileAt(path);
      let isClosed = false;
      const closeOpened = async () => {
        // What stands there later is no longer this one's.
        if (isClosed) return;
        isClosed = true;
        const isThere = fileAt(path) === opened;
        close();
        if (options.mode === "write" && !isThere) throw movedAway(path);
      };
      const watch = { changes: () => countOf(engine, dataVersion), isReplaced: async () => fileAt(path) !== before };
      return { engine, close: closeOpened, watch: async () => watch };
    },
    openToQuery: async () => closing(await (await import("./sqlite/sqlite-query.ts")).openSqliteQuery(path)),
    openToVerify: async (options) => (await import("./sqlite/verify-file.ts")).openSqliteToVerify(path, options),
    acquireLock: async (name, { now }) => {
      const lock = (await import("./sqlite/lock.ts")).takeLock(path, now(), name);
      return async () => lock.release();
    },
    surroundings: async () => (await import("./sqlite/surroundings.ts")).surroundingsOf(path),
    assertFile: () => {},
  };
}

/** What a run wrote is not where the next one looks for it. */
function movedAway(path: string): StoreError {
  const text = `\`${printable(path)}\` was moved, replaced or deleted during the run. What the run wrote went with it.`;
  return placeError(path, "MOVEDEX_STORE_MISSING", text);
}

/** Names the file that lies at a path; undefined while there is none, as between taking one away and putting another. @throws StoreError */
function fileAt(path: string): string | undefined {
  try {
    const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
    return stat === undefined ? undefined : `${stat.dev}:${stat.ino}`;
  } catch (error) {
    throw fileError(path, "open the database", error);
  }
}
