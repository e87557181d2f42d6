import { accessSync, constants, statfsSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { formatBytes } from "../../base/plural.ts";
import type { Surrounding } from "../database.ts";
import { StoreError } from "../errors.ts";
import { takeLock } from "./lock.ts";

/** Less free space than this is worth a word: a first crawl of a large network with its indexes. */
const LOW_SPACE_BYTES = 1_000_000_000;

/** The directory of a database file, and the disk under it. */
export function surroundingsOf(path: string): Surrounding[] {
  const directory = dirname(resolve(path));
  return [...writability(directory), ...space(directory)];
}

/** Who has the right to write to a database file, in a sentence. */
export function writerOf(path: string, now: number): string | undefined {
  try {
    takeLock(path, now).release();
    return undefined;
  } catch (error) {
    if (error instanceof StoreError) return error.message;
    throw error;
  }
}

function writability(directory: string): Surrounding[] {
  try {
    accessSync(directory, constants.W_OK);
    return [];
  } catch {
    const text = `the directory \`${directory}\` cannot be written to; SQLite needs to, for the database and the files beside it`;
    return [{ state: "fail", text }];
  }
}

function space(directory: string): Surrounding[] {
  try {
    const { bavail, bsize } = statfsSync(directory);
    const free = bavail * bsize;
    return [{ state: free < LOW_SPACE_BYTES ? "warn" : "ok", text: `${formatBytes(free)} free on its disk` }];
  } catch {
    return [];
  }
}
