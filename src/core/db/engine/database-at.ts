import { postgresDatabase } from "../../../capabilities/postgresql/postgres-database.ts";
import type { Database } from "./database.ts";
import { isAddress } from "./place.ts";
import { sqliteDatabase } from "./sqlite/sqlite-database.ts";

/** The database at a place: the path of a file, or the complete address of one on a server. Nothing is opened or loaded yet. */
export function databaseAt(place: string): Database {
  return isAddress(place) ? postgresDatabase(place) : sqliteDatabase(place);
}
