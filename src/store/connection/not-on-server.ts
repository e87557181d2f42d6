import { StoreError } from "../errors.ts";

/** The error of what movedex does in SQLite files and cannot do yet in a PostgreSQL database. */
export function notOnServer(what: string): StoreError {
  const text = `this version of movedex cannot ${what} in a PostgreSQL database yet. Use an SQLite file: --db FILE. Nothing was changed.`;
  return new StoreError("MOVEDEX_STORE_NOT_YET", text);
}
