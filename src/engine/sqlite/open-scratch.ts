import Database from "better-sqlite3";
import { looseIndexes } from "../../schema/derived-indexes.ts";
import type { OpenFile } from "./open-without-lock.ts";
import { sqliteEngine } from "./sqlite-engine.ts";
import { migrateDatabase } from "./tables/migrate.ts";

const PLACE = ":memory:";

/** Opens a new database in memory with movedex's tables, without views and the indexes that only questions need. Gone when it is closed. */
export function openScratch(): OpenFile {
  const database = new Database(PLACE).defaultSafeIntegers(true);
  migrateDatabase(database, PLACE, 0);
  for (const { drop } of looseIndexes) database.exec(drop.in("sqlite"));
  return { database, engine: sqliteEngine(database, PLACE), close: () => database.close() };
}
