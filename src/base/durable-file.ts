import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from "node:fs";
import { dirname } from "node:path";

/** Puts a finished file in its place, whatever was there: at every moment the path shows the old file whole or the new one whole, after a power cut too. */
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
