import { copyFileSync, existsSync, linkSync, readdirSync, realpathSync, renameSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import Database from "better-sqlite3";
import { moveIntoPlace } from "../../../core/base/files.ts";
import { printable } from "../../../core/base/printable.ts";
import { placeError, type StoreError } from "../../../core/db/engine/errors.ts";
import { takeLock } from "../../../core/db/engine/sqlite/lock.ts";
import { datedName } from "../../../core/db/engine/sqlite/open-file.ts";
import { fileError } from "../../../core/db/engine/sqlite/sqlite-errors.ts";
import { type CopyJudge, type FileCopy, judgeCopy } from "./backup.ts";
import { decompressFile, guardedFiles, readHeader } from "./backup-file.ts";

export type RestoreRequest = {
  readonly file: string;
  /** Whether a database that is there may be replaced; it is kept beside. */
  readonly replaces: boolean;
  readonly now: () => number;
};

/** What was put in place, and the path of what was there before. */
export type Restored<S> = FileCopy<S> & { readonly keptAside: string | null };

/**
 * Puts a backup in the place of a database: unpacked beside it, checked there, and moved into place only then. A database that was there is
 * kept as `<database>.replaced-<time>`. At every moment, kill -9 included, the place holds the old database or the new one, and running
 * again ends in the same state. @throws StoreError `MOVEDEX_STORE_PRESENT` when a database is there and may not be replaced,
 * `MOVEDEX_STORE_DAMAGED` …
 */
export async function restoreFile<S>(place: string, request: RestoreRequest, judge: CopyJudge<S>): Promise<Restored<S>> {
  const { file, replaces, now } = request;
  const path = existsSync(place) ? realpathSync(place) : place;
  // Looked at first: a mistyped name leaves nothing behind, not even a lock.
  const bytes = await requireBackup(file);
  const lock = takeLock(path, now());
  const part = `${path}.restoring`;
  const clear = () => {
    for (const suffix of ["", "-journal", "-wal", "-shm"]) rmSync(part + suffix, { force: true });
  };
  try {
    return await guardedFiles(path, "restore the database", async () => {
      if (existsSync(path) && !replaces) throw present(path);
      clear();
      const plain = await decompressFile(file, part, bytes).catch((error: NodeJS.ErrnoException) => {
        throw error.syscall === "write" || error.path === part ? error : fileError(file, "read the backup", error);
      });
      const judged = await judgeCopy(part, file, judge);
      const keptAside = existsSync(path) ? await setAside(path, now()) : null;
      moveIntoPlace(part, path);
      return { bytes: statSync(file).size, databaseBytes: plain.bytes, sha256: plain.sha256, judged, keptAside };
    });
  } finally {
    clear();
    lock.release();
  }
}

/** Refuses a file that is no backup before any of it is copied; returns the size in its header. */
async function requireBackup(file: string): Promise<number> {
  const header = await guardedFiles(file, "read the backup", () => readHeader(file));
  if (header === undefined || !header.isOurs) {
    const text = `\`${printable(file)}\` is not a movedex backup. Name a file that \`movedex backup\` wrote.`;
    throw placeError(file, "MOVEDEX_STORE_FOREIGN", text);
  }
  if (existsSync(`${file}-wal`) && statSync(`${file}-wal`).size > 0) {
    const text = `\`${printable(file)}\` is a database in use: part of it lies in its log. Make a backup of it with \`movedex backup\`.`;
    throw placeError(file, "MOVEDEX_STORE_FOREIGN", text);
  }
  return header.bytes;
}

/** Gives the database a second name, so that it stays until the new one takes its place. A name from a run that was cut off here stays. */
async function setAside(path: string, now: number): Promise<string> {
  // SQLite takes away the log of what it cannot read, so it is not shown a file that is no database.
  const isDamaged = !(await readHeader(path))?.isOurs || !endLogging(path);
  const { dev, ino } = statSync(path);
  const prefix = `${basename(path)}.replaced-`;
  const named = readdirSync(dirname(path))
    .filter((name) => name.startsWith(prefix))
    .map((name) => join(dirname(path), name))
    .find((name) => statSync(name).ino === ino && statSync(name).dev === dev);
  const aside = named ?? datedName(`${path}.replaced-`, now);
  if (named === undefined) giveSecondName(path, aside);
  // The log of a damaged database belongs to it: left behind, it would be applied to the new one.
  if (isDamaged && existsSync(`${path}-wal`)) renameSync(`${path}-wal`, `${aside}-wal`);
  rmSync(`${path}-shm`, { force: true });
  return aside;
}

/** Checkpoints the WAL and removes it, which needs the database to be closed in all other processes. False if the database is damaged. */
function endLogging(path: string): boolean {
  try {
    const database = new Database(path, { fileMustExist: true, timeout: 1_000 });
    try {
      database.pragma("journal_mode = DELETE");
      return true;
    } finally {
      database.close();
    }
  } catch (error) {
    const isBusy = error instanceof Database.SqliteError && /^SQLITE_(BUSY|LOCKED)/.test(error.code);
    if (!isBusy) return false;
    const text = `\`${printable(path)}\` is open elsewhere (perhaps by \`movedex serve\`), and was left as it is. End that, then run again.`;
    throw placeError(path, "MOVEDEX_STORE_BUSY", text, {}, error);
  }
}

function giveSecondName(path: string, aside: string): void {
  try {
    linkSync(path, aside);
  } catch {
    // A file system without second names: a copy, whole before it has the name.
    copyFileSync(path, `${aside}.part`);
    moveIntoPlace(`${aside}.part`, aside);
  }
}

function present(path: string): StoreError {
  const text = `there is a database \`${printable(path)}\` already, and it was left as it is. Give --replace to put the backup in its place; the old one is kept beside it.`;
  return placeError(path, "MOVEDEX_STORE_PRESENT", text);
}
