import { failureOf, type Meanings, StoreError } from "../errors.ts";

/** The system's error codes, what each means for the person at the keyboard, and what to do. */
const meanings: Meanings = [
  ["ENOSPC", "MOVEDEX_STORE_FULL", "the disk is full. Make room, then run again"],
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

/** Does a piece of work on files and throws the system's failures as `StoreError`, by their code; other errors come through as they are. */
export async function guardedFiles<T>(path: string, wanted: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw fileError(path, wanted, error);
  }
}

/** The system's failure at a file as a `StoreError`, by its code; another error as it is. */
export function fileError(path: string, wanted: string, error: unknown): unknown {
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (error instanceof StoreError || code === undefined || syscall === undefined) return error;
  return failureOf(meanings, { code, error: error as Error, wanted, place: path, fact: "reason" });
}
