import { mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";

/** Makes a directory and those above it. Node's own `recursive` never ends where the system makes none, as below `/proc`. */
export function makeDirectory(path: string): void {
  const isThere = (): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  if (isThere()) return;
  if (dirname(path) !== path) makeDirectory(dirname(path));
  try {
    mkdirSync(path);
  } catch (error) {
    // Another process may have been first.
    if (!isThere()) throw error;
  }
}
