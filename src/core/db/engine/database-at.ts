import type { Database } from "./database.ts";
import type { Engine } from "./engine.ts";
import { isAddress, serverDatabases } from "./place.ts";
import { sqliteDatabase } from "./sqlite/sqlite-database.ts";

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
