import { accessSync, constants, existsSync, statfsSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { followLinks, isFull, requireRoom } from "../../../base/files.ts";
import { formatBytes } from "../../../base/plural.ts";
import { printable } from "../../../base/printable.ts";
import type { Surrounding } from "../database.ts";
import { lockStates, sideFilesOf } from "./lock.ts";
import { fileError } from "./sqlite-errors.ts";

/** Less free space than this is worth a word: a first crawl of a large network with its indexes. */
const LOW_SPACE_BYTES = 1_000_000_000;
/** What a night needs that stores nothing new, and one that makes the database, with their logs. */
const [QUIET_BYTES, FIRST_BYTES] = [64_000, 4_000_000];

/** What is in the way of a run that is to write to a database file, found without a trace: no file is left or changed. */
export function surroundingsOf(named: string): Surrounding[] {
  const path = followLinks(named) ?? named;
  return [...room(path), ...[path, ...sideFilesOf(path)].flatMap(fileFailures), ...lockStates(path)];
}

/** That a night cannot make its files or, where it can, what the disk has free: "full" and "1.2 MB free" of one disk is a riddle. */
function room(path: string): Surrounding[] {
  const directory = dirname(resolve(path));
  const wanted = existsSync(path) ? QUIET_BYTES : FIRST_BYTES;
  try {
    requireRoom(directory, wanted);
  } catch (error) {
    const unwritable = `the directory \`${printable(directory)}\` cannot be written to; SQLite needs to, for the database and the files beside it`;
    const full = () => (fileError(directory, `make a file of ${formatBytes(wanted)} in`, error) as Error).message;
    return [{ state: "fail", text: isFull(error) ? full() : unwritable }];
  }
  try {
    const { bavail, bsize } = statfsSync(directory);
    const free = bavail * bsize;
    return [{ state: free < LOW_SPACE_BYTES ? "warn" : "ok", text: `${formatBytes(free)} free on its disk` }];
  } catch {
    // Some file systems do not tell.
    return [];
  }
}

function fileFailures(path: string): Surrounding[] {
  try {
    if (existsSync(path)) accessSync(path, constants.W_OK);
    return [];
  } catch (error) {
    return [{ state: "fail", text: (fileError(path, "write to", error) as Error).message }];
  }
}
