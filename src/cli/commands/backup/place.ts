import { readdirSync, statSync } from "node:fs";
import { basename, join } from "node:path";

/** Where a backup goes. */
export type BackupPlace = {
  readonly file: string;
  readonly isPacked: boolean;
  /** The directory of backups named by their day; undefined when the file itself was named. */
  readonly directory: string | undefined;
};

/**
 * The file that was named or, in a directory, one named by the day (UTC), so that a second one that day replaces the first.
 * A directory is one that is there, or a path that ends in `/`.
 */
export function choosePlace(file: string, database: string, options: { readonly isPacked: boolean; readonly now: number }): BackupPlace {
  if (!file.endsWith("/") && statSync(file, { throwIfNoEntry: false })?.isDirectory() !== true) {
    return { file, isPacked: options.isPacked || file.endsWith(".zst"), directory: undefined };
  }
  const day = new Date(options.now).toISOString().slice(0, 10).replaceAll("-", "");
  const name = `${stem(database)}-${day}.db${options.isPacked ? ".zst" : ""}`;
  return { file: join(file, name), isPacked: options.isPacked, directory: file };
}

/** The oldest backups of a database in its directory, beyond the newest `keep`. */
export function surplusBackups(place: BackupPlace, database: string, keep: number): string[] {
  const { directory } = place;
  if (directory === undefined) return [];
  const begin = `${stem(database)}-`;
  const isBackup = (name: string): boolean => name.startsWith(begin) && /^\d{8}\.db(\.zst)?$/.test(name.slice(begin.length));
  return readdirSync(directory)
    .filter(isBackup)
    .sort()
    .reverse()
    .slice(keep)
    .map((name) => join(directory, name));
}

function stem(database: string): string {
  return basename(database).replace(/\.(db|sqlite|sqlite3)$/, "");
}
