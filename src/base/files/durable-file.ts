import { appendFileSync, closeSync, fsyncSync, openSync, readSync, renameSync, rmSync, statSync, writeSync } from "node:fs";
import { dirname } from "node:path";

/** Moves a finished file to its path, over any that is there. Even after a power cut the path has the whole old or the whole new file. */
export function moveIntoPlace(from: string, to: string): void {
  syncPath(from);
  renameSync(from, to);
  syncPath(dirname(to));
}

/** Writes a file whole, beside its place first: a reader never sees half of it. */
export function writeWhole(path: string, text: string): void {
  const part = `${path}.part`;
  const file = openSync(part, "w");
  try {
    writeSync(file, text);
  } catch (error) {
    closeSync(file);
    rmSync(part, { force: true });
    throw error;
  }
  closeSync(file);
  moveIntoPlace(part, path);
}

/**
 * Adds a line to a file that is there. One that was cut off before it (a full disk, a killed process) is completed when it is the
 * beginning of this very line; else it is ended first, and spoils itself only.
 */
export function appendLine(path: string, line: string): void {
  const torn = tornEnd(path, Buffer.byteLength(line));
  const bytes = Buffer.from(line);
  const isOurs = bytes.subarray(0, torn.length).equals(torn);
  appendFileSync(path, isOurs ? bytes.subarray(torn.length) : `\n${line}`);
}

/** What stands behind a file's last line break; of what is longer than `limit` bytes its end. */
function tornEnd(path: string, limit: number): Buffer {
  const { size } = statSync(path);
  const length = Math.min(size, limit + 1);
  const end = Buffer.alloc(length);
  const file = openSync(path, "r");
  try {
    readSync(file, end, 0, length, size - length);
  } finally {
    closeSync(file);
  }
  return end.subarray(end.lastIndexOf(0x0a) + 1);
}

/** Has the system write down what it holds of a file or of a directory's entries. */
function syncPath(path: string): void {
  const file = openSync(path, "r");
  try {
    fsyncSync(file);
  } catch (error) {
    // Some file systems refuse this of directories, and have nothing to write down then.
    if ((error as NodeJS.ErrnoException).code !== "EINVAL") throw error;
  } finally {
    closeSync(file);
  }
}
