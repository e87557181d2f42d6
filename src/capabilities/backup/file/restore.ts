import { copyFileSync, existsSync, linkSync, readdirSync, realpathSync, renameSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import Database from "better-sqlite3";
import { moveIntoPlace } from "../../../core/base/files.ts";
import { printable } from "../../../core/base/printable.ts";
import type { Hooks } from "../../../core/cli/hooks.ts";
import { placeError, type StoreError } from "../../../core/db/engine/errors.ts";
import { takeLock } from "../../../core/db/engine/sqlite/lock.ts";
import { datedName } from "../../../core/db/engine/sqlite/open-file.ts";
import { fileError } from "../../../core/db/engine/sqlite/sqlite-errors.ts";
import { type Copied, checkCopy } from "./check-copy.ts";
import { guardedFiles, readHeader, readPlain, withParts } from "./packed-file.ts";

/**
 * Puts a backup in the place of a database: unpacked beside it, verified whole there, and moved into place only then. A database that was
 * there is kept as `<database>.replaced-<time>`. At every moment, kill -9 included, the place holds the old database or the new one, and
 * running again ends in the same state. @throws StoreError `MOVEDEX_STORE_PRESENT` when a database is there and may not be replaced,
 * `MOVEDEX_STORE_DAMAGED` …
 */
export async function restoreBackup(
  database: string,
  { file, replaces, now }: { readonly file: string; readonly replaces: boolean; readonly now: () => number },
  hooks: readonly Hooks[],
): Promise<Copied & { readonly keptAside: string | null }> {
  const path = existsSync(database) ? realpathSync(database) : database;
  // Looked at first: a mistyped name leaves nothing behind, not even a lock.
  const limit = await requireBackup(file);
  using lock = new DisposableStack();
  lock.defer(takeLock(path, now()).release);
  if (existsSync(path) && !replaces) throw present(path);
  const part = `${path}.restoring`;
  return await withParts([part], path, "restore the database", async () => {
    const copied = await unpackChecked(file, part, limit, hooks);
    const keptAside = existsSync(path) ? await setAside(path, now()) : null;
    moveIntoPlace(part, path);
    return { ...copied, keptAside };
  });
}

/**
 * Makes sure that a file is a backup that could be restored: unpacked beside it, its pages, references and seals checked.
 * @returns the ledger versions of its snapshots @throws StoreError
 */
export async function checkBackup(file: string): Promise<readonly bigint[]> {
  const limit = await requireBackup(file);
  const part = `${file}.checking`;
  return withParts([part], file, "check the backup", async () => (await unpackChecked(file, part, limit)).versions);
}

async function unpackChecked(file: string, part: string, limit: number, thoroughBy?: readonly Hooks[]): Promise<Copied> {
  const { bytes: databaseBytes, sha256 } = await readPlain(file, { to: part, limit }).catch((error: NodeJS.ErrnoException) => {
    throw error.syscall === "write" || error.path === part ? error : fileError(file, "read the backup", error);
  });
  return { ...(await checkCopy(part, file, thoroughBy)), bytes: statSync(part).size, databaseBytes, sha256 };
}

/** Refuses a file that is no backup before any of it is copied; returns the size in its header. */
async function requireBackup(file: string): Promise<number> {
  const header = await guardedFiles(file, "read the backup", () => readHeader(file));
  const isInUse = existsSync(`${file}-wal`) && statSync(`${file}-wal`).size > 0;
  if (header?.isOurs && !isInUse) return header.bytes;
  const why = header?.isOurs
    ? "is a database in use: part of it lies in its log. Make a backup of it with `movedex backup`."
    : "is not a movedex backup. Name a file that `movedex backup` wrote.";
  throw placeError(file, "MOVEDEX_STORE_FOREIGN", `\`${printable(file)}\` ${why}`);
}

/** Gives the database a second name, so that it stays until the new one takes its place. A name from a run that was cut off here stays. */
async function setAside(path: string, now: number): Promise<string> {
  // SQLite takes away the log of what it cannot read, so it is not shown a file that is no database.
  const isDamaged = !(await readHeader(path))?.isOurs || !endLogging(path);
  const { dev, ino } = statSync(path);
  const named = readdirSync(dirname(path))
    .filter((name) => name.startsWith(`${basename(path)}.replaced-`))
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
  let database: Database.Database | undefined;
  try {
    database = new Database(path, { fileMustExist: true, timeout: 1_000 });
    database.pragma("journal_mode = DELETE");
    return true;
  } catch (error) {
    const isBusy = error instanceof Database.SqliteError && /^SQLITE_(BUSY|LOCKED)/.test(error.code);
    if (!isBusy) return false;
    const text = `\`${printable(path)}\` is open elsewhere (perhaps by \`movedex serve\`), and was left as it is. End that, then run again.`;
    throw placeError(path, "MOVEDEX_STORE_BUSY", text, {}, error);
  } finally {
    database?.close();
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
