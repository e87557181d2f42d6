import { accessSync, constants, copyFileSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { printable } from "../../base/printable.ts";
import { StoreError } from "../errors.ts";

/** Copies of this process, by what was copied; they are removed when it ends. */
const copies = new Map<string, string>();

/** Whether files can be made beside a file. */
export function isDirectoryWritable(path: string): boolean {
  try {
    accessSync(dirname(resolve(path)), constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * A copy of a database, with its log, in the directory for temporary files. To read a database with a write-ahead log SQLite
 * makes two files beside it, which a read-only file system refuses; better-sqlite3 has no way to tell it that the file stays as
 * it is. Where the file system can, the copy shares the original's blocks.
 *
 * @returns the copy's path, the same one while the database has not changed
 * @throws StoreError `MOVEDEX_STORE_CANNOT_OPEN` when there is no room for it
 */
export function copyToRead(path: string): string {
  const key = [path, ...["", "-wal"].map((suffix) => stateOf(path + suffix))].join(" ");
  const known = copies.get(key);
  if (known !== undefined) return known;
  if (copies.size === 0) process.once("exit", () => removeAll(copies.values()));
  let copy: string | undefined;
  try {
    copy = join(mkdtempSync(join(tmpdir(), "movedex-reading-")), "copy.db");
    for (const suffix of ["", "-wal"]) {
      if (stateOf(path + suffix) !== undefined) copyFileSync(path + suffix, copy + suffix, constants.COPYFILE_FICLONE);
    }
    copies.set(key, copy);
    return copy;
  } catch (cause) {
    if (copy !== undefined) removeAll([copy]);
    const text =
      `could not open the database \`${printable(path)}\`: SQLite cannot read it in a directory that may not be written to, and no copy ` +
      `could be made in \`${tmpdir()}\`: ${printable(String(cause))}. Name another directory in TMPDIR, or read a backup made with \`movedex backup\`.`;
    throw new StoreError("MOVEDEX_STORE_CANNOT_OPEN", text, { facts: { path }, cause });
  }
}

/** What tells one state of a file from another; undefined when there is none. */
function stateOf(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false, bigint: true });
  return found && `${found.ino} ${found.size} ${found.mtimeNs}`;
}

function removeAll(paths: Iterable<string>): void {
  for (const path of paths) rmSync(dirname(path), { recursive: true, force: true });
}
