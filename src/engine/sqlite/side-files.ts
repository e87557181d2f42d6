import { existsSync } from "node:fs";
import { openFile } from "./open-file.ts";

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
