import { accessSync, constants, existsSync } from "node:fs";
import { dirname } from "node:path";
import type Database from "better-sqlite3";
import { followLinks, isFull, requireRoom } from "../../../base/files.ts";
import type { WhenBusy } from "../database.ts";
import { failureOf, type Meanings, StoreError } from "../errors.ts";

const meanings: Meanings = [
  ["SQLITE_BUSY", "MOVEDEX_STORE_BUSY", "another process is writing to it. Wait until it ends, then run again"],
  ["SQLITE_LOCKED", "MOVEDEX_STORE_BUSY", "another process is writing to it. Wait until it ends, then run again"],
  ["SQLITE_NOTADB", "MOVEDEX_STORE_NOT_A_DATABASE", "the file is not an SQLite database. Name another file"],
  ["SQLITE_CORRUPT", "MOVEDEX_STORE_DAMAGED", "the file is damaged. Restore a copy, or try `sqlite3 FILE .recover`"],
  [
    "SQLITE_READONLY_DIRECTORY",
    "MOVEDEX_STORE_READ_ONLY",
    "its directory may not be written to, which SQLite needs where the files `-wal` and `-shm` are missing. Copy it elsewhere",
  ],
  ["SQLITE_READONLY", "MOVEDEX_STORE_READ_ONLY", "the file may not be written to. Change its permissions, or name another file"],
  ["SQLITE_PERM", "MOVEDEX_STORE_READ_ONLY", "access was denied. Change the permissions, or name another file"],
  ["SQLITE_AUTH", "MOVEDEX_STORE_READ_ONLY", "access was denied. Change the permissions, or name another file"],
  [
    "SQLITE_CANTOPEN",
    "MOVEDEX_STORE_CANNOT_OPEN",
    "it cannot be opened. Check that the directory exists, that it may be written to or has the files `-wal` and `-shm`, and that the path is a file",
  ],
  ...["SQLITE_FULL", "SQLITE_IOERR_SHMSIZE"].map(
    (code) => [code, "MOVEDEX_STORE_FULL", "the disk is full. Nothing committed is lost: make room, then run again"] as const,
  ),
  ["SQLITE_IOERR", "MOVEDEX_STORE_IO", "the disk or file system failed. Nothing committed is lost: check the disk, then run again"],
  ["SQLITE_NOMEM", "MOVEDEX_STORE_IO", "memory ran out. Nothing committed is lost: run again with more"],
];

/** By its name: help and other commands load this file, and not the library. */
const isOfSqlite = (error: unknown): error is InstanceType<typeof Database.SqliteError> =>
  error instanceof Error && error.name === "SqliteError";

/** Tries something again while another program has the file locked, as long as `whenBusy` says so. */
export async function patiently<T>(work: () => T | Promise<T>, whenBusy: WhenBusy | undefined): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      const code = isOfSqlite(error) || error instanceof StoreError ? error.code : "";
      if (!/^SQLITE_BUSY|^MOVEDEX_STORE_BUSY$/.test(code) || !(await whenBusy?.())) throw error;
    }
  }
}

/** A failure of SQLite in movedex's words, any other error as it is. `isNew`: of a file that is opened to be written, or made. */
export function translateSqliteError(error: unknown, wanted: string, path: string, isNew = false): unknown {
  if (!isOfSqlite(error)) return error;
  const failure = error.code.startsWith("SQLITE_CANTOPEN") ? systemFailure(path, isNew) : undefined;
  if (failure !== undefined) return fileError(path, wanted, failure);
  return failureOf(meanings, { code: error.code, error, wanted, place: path, fact: "sqliteCode" });
}

/** SQLite does not say why it cannot open a file that is there, or cannot make one; the system does. */
function systemFailure(path: string, isNew: boolean): unknown {
  const place = followLinks(path) ?? path;
  try {
    if (existsSync(place)) accessSync(place, constants.R_OK);
    requireRoom(dirname(place));
    return undefined;
  } catch (error) {
    // Whoever only reads needs no folder that may be written to.
    return isNew || (error as NodeJS.ErrnoException).syscall === "access" || isFull(error) ? error : undefined;
  }
}

export function guarded<T>(path: string, wanted: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw translateSqliteError(error, wanted, path);
  }
}

/** The system's error codes, what each means for the person at the keyboard, and what to do. */
const fileMeanings: Meanings = [
  ["ENOSPC", "MOVEDEX_STORE_FULL", "the disk is full, or has no inode left for a file (`df -i`). Make room, then run again"],
  ["EDQUOT", "MOVEDEX_STORE_FULL", "the quota of the disk is used up. Make room, then run again"],
  ["EFBIG", "MOVEDEX_STORE_IO", "the file may not grow so large. Raise the limit, then run again"],
  ["EACCES", "MOVEDEX_STORE_READ_ONLY", "access was denied. Change the permissions, or name another file"],
  ["EPERM", "MOVEDEX_STORE_READ_ONLY", "access was denied. Change the permissions, or name another file"],
  ["EROFS", "MOVEDEX_STORE_READ_ONLY", "its file system is read-only. Name another file"],
  ["ENOENT", "MOVEDEX_STORE_CANNOT_OPEN", "there is no such file, or its directory does not exist"],
  ["ENOTDIR", "MOVEDEX_STORE_CANNOT_OPEN", "part of the path is not a directory"],
  ["EISDIR", "MOVEDEX_STORE_CANNOT_OPEN", "it is a directory"],
  ["ENAMETOOLONG", "MOVEDEX_STORE_CANNOT_OPEN", "the name is longer than the file system allows. Give a shorter one"],
  ["ELOOP", "MOVEDEX_STORE_CANNOT_OPEN", "its symbolic links lead back to themselves. Name the file itself, or mend the links"],
  // From making a directory.
  ["EEXIST", "MOVEDEX_STORE_CANNOT_OPEN", "a file stands where its directory should be. Name another place"],
  // Any other.
  ["", "MOVEDEX_STORE_IO", "the disk or file system failed. Check the disk, then run again"],
];

/** The system's failure at a file as a `StoreError`, by its code; another error as it is. */
export function fileError(path: string, wanted: string, error: unknown): unknown {
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (error instanceof StoreError || code === undefined || syscall === undefined) return error;
  return failureOf(fileMeanings, { code, error: error as Error, wanted, place: path, fact: "reason" });
}
