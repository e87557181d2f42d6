import * as fs from "node:fs";
import { basename, dirname, isAbsolute, join } from "node:path";
import { fileURLToPath } from "node:url";
import { getSystemErrorMessage } from "node:util";
import { ConfigError, invariant } from "../errors.ts";
import { printable } from "./printable.ts";

/** Makes sure that files can be made in a folder: makes one of so many bytes, and removes it. @throws the system's error */
export function requireRoom(folder: string, bytes = 1): void {
  const own = fs.mkdtempSync(join(folder, ".movedex-"));
  try {
    fs.writeFileSync(join(own, "room"), Buffer.alloc(bytes));
  } finally {
    fs.rmSync(own, { recursive: true, force: true });
  }
}

/** Whether a disk, or one's share of it, is full: no fault of a command line, and gone once there is room. */
export const isFull = (error: unknown): boolean => ["ENOSPC", "EDQUOT"].includes((error as NodeJS.ErrnoException).code ?? "");

/** Moves a finished file to its path, over any that is there. Even after a power cut the path has the whole old or the whole new file. */
export function moveIntoPlace(from: string, to: string): void {
  syncPath(from);
  fs.renameSync(from, to);
  syncPath(dirname(to));
}

/** How a database file begins. Source: sqlite.org/fileformat2.html, "The Database Header". */
export const DATABASE_MAGIC = Buffer.from("SQLite format 3\0");

/** Whether there is a file at a path that begins as SQLite's databases do. */
export function isDatabaseFile(path: string): boolean {
  const isFile = fs.statSync(path, { throwIfNoEntry: false })?.isFile() === true;
  return isFile && readPart(path, 0, DATABASE_MAGIC.length).equals(DATABASE_MAGIC);
}

/** @throws ConfigError where a text would take the place of a database, or stand behind it */
export function refuseDatabase(path: string): void {
  if (!isDatabaseFile(path)) return;
  const text = `\`${printable(path)}\` is a database, which a text in its place would destroy. Name another file.`;
  throw new ConfigError(text, { facts: { path } });
}

/** `length` bytes of a file from the offset `at` on, fewer where the file ends before. */
function readPart(path: string, at: number, length: number): Buffer {
  const part = Buffer.alloc(length);
  const file = fs.openSync(path, "r");
  try {
    return part.subarray(0, fs.readSync(file, part, 0, length, at));
  } finally {
    fs.closeSync(file);
  }
}

/**
 * Writes a file whole, beside its place first: a reader never sees half of it. Links are followed. What is there and is no regular file
 * (a device, a FIFO, an open file such as /dev/stdout) is written to, and stays. `mode` is for a file that another user is to read.
 */
export function writeWhole(path: string, text: string, mode?: number): void {
  const { place, isReplaced, open } = findPlace(path);
  if (isReplaced) refuseDatabase(place);
  if (open !== undefined) fs.writeFileSync(open, text);
  else if (isReplaced) replaceFile(place, text, mode);
  else writeInto(fs.openSync(place, fs.constants.O_WRONLY), text);
}

function replaceFile(place: string, text: string, mode?: number): void {
  const part = `${place}.part`;
  try {
    writeInto(fs.openSync(part, "w"), text);
  } catch (error) {
    fs.rmSync(part, { force: true });
    throw error;
  }
  try {
    if (mode !== undefined) fs.chmodSync(part, mode);
  } catch {
    // A file system without modes.
  }
  moveIntoPlace(part, place);
}

/** Makes sure that `writeWhole`, or else `appendLine`, could write there, and writes nothing. @throws the system's error, ConfigError */
export function requirePlace(path: string, isAppended = false): void {
  const { place, isReplaced, open } = findPlace(path);
  const there = fs.statSync(place, { throwIfNoEntry: false });
  if (open !== undefined) return;
  if (isReplaced) refuseDatabase(place);
  if (there?.isDirectory()) fs.closeSync(fs.openSync(place, fs.constants.O_WRONLY));
  // Whoever writes to one waits for its reader, perhaps for ever; the process's own output has one.
  if (there?.isFIFO() && !isOwnFile(place))
    throw new ConfigError(`\`${printable(path)}\` is a named pipe. Name a regular file, or one that is not there yet.`);
  fs.accessSync(isReplaced && !(isAppended && there !== undefined) ? dirname(place) : place, fs.constants.W_OK);
}

/** Whether two paths name one regular file, which need not be there yet, be it by links. */
export function isSameFile(a: string, b: string): boolean {
  const identity = identityOf(a);
  return identity !== undefined && identity === identityOf(b);
}

function identityOf(path: string): string | undefined {
  try {
    const { place, isReplaced } = findPlace(path);
    if (!isReplaced) return undefined;
    const found = fs.statSync(place, { bigint: true, throwIfNoEntry: false });
    return found === undefined ? join(fs.realpathSync(dirname(place)), basename(place)) : `${found.dev}:${found.ino}`;
  } catch {
    // Links that go round in a circle are no file, and a folder that is not there has none.
    return undefined;
  }
}

/** Where the links of a path lead, to a file that need not be there yet; undefined where they go round in a circle. */
export function followLinks(path: string): string | undefined {
  try {
    return findPlace(path).place;
  } catch {
    return undefined;
  }
}

type Place = {
  readonly place: string;
  /** Whether a new file takes the place; else what is there is written to. */
  readonly isReplaced: boolean;
  /** The number of a file of this process's that has to be written to, since opening it again would cut it or cannot be done. */
  readonly open?: number;
};

function findPlace(path: string): Place {
  // Throws where links go round in a circle, so that following them ends.
  const there = fs.statSync(path, { throwIfNoEntry: false });
  let place = path;
  while (fs.lstatSync(place, { throwIfNoEntry: false })?.isSymbolicLink()) {
    const folder = dirname(place);
    if (isOwnFile(place)) {
      const open = there?.isFile() || there?.isSocket() ? { open: Number(basename(place)) } : {};
      return { place, isReplaced: false, ...open };
    }
    const next = fs.readlinkSync(place);
    // Not made shorter: `..` behind a link to a folder is that folder's.
    place = isAbsolute(next) ? next : `${folder}/${next}`;
  }
  return { place, isReplaced: there === undefined || there.isFile() };
}

/** Whether a path names an open file of this process. */
function isOwnFile(path: string): boolean {
  return [`/proc/${process.pid}/fd`, "/dev/fd"].includes(fs.realpathSync(dirname(path)));
}

function writeInto(file: number, text: string): void {
  try {
    fs.writeFileSync(file, text);
  } finally {
    fs.closeSync(file);
  }
}

/**
 * Adds a line to a file that is there. One that was cut off before it (a full disk, a killed process) is completed when it is the
 * beginning of this very line; else it is ended first, and spoils itself only.
 */
export function appendLine(path: string, line: string): void {
  refuseDatabase(path);
  const torn = tornEnd(path, Buffer.byteLength(line));
  const bytes = Buffer.from(line);
  const isOurs = bytes.subarray(0, torn.length).equals(torn);
  fs.appendFileSync(path, isOurs ? bytes.subarray(torn.length) : `\n${line}`);
}

/** A file's bytes behind its last line break, at most the last `limit` + 1; none where there is no file. */
function tornEnd(path: string, limit: number): Buffer {
  const size = fs.statSync(path, { throwIfNoEntry: false })?.size;
  if (size === undefined) return Buffer.alloc(0);
  const length = Math.min(size, limit + 1);
  const end = readPart(path, size - length, length);
  return end.subarray(end.lastIndexOf(0x0a) + 1);
}

/** Has the system write down what it holds of a file or of a directory's entries. */
export function syncPath(path: string): void {
  const file = fs.openSync(path, "r");
  try {
    fs.fsyncSync(file);
  } catch (error) {
    // Some file systems refuse this of directories, and have nothing to write down then.
    if ((error as NodeJS.ErrnoException).code !== "EINVAL") throw error;
  } finally {
    fs.closeSync(file);
  }
}

/** Makes a directory and those above it. Node's own `recursive` never ends where the system makes none, as below `/proc`. */
export function makeDirectory(path: string): void {
  const isThere = (): boolean => fs.statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  if (isThere()) return;
  if (dirname(path) !== path) makeDirectory(dirname(path));
  try {
    fs.mkdirSync(path);
  } catch (error) {
    // Another process may have been first.
    if (!isThere()) throw error;
  }
}

/** The path of a file or folder of the package, relative to the package's root. Works in a checkout and in the bundle. */
export function packageFile(path: string): string {
  for (let at = dirname(fileURLToPath(import.meta.url)); ; at = dirname(at)) {
    if (fs.existsSync(join(at, "package.json"))) return join(at, path);
    invariant(at !== dirname(at), `the package of movedex is not whole: no package.json above ${import.meta.url}`);
  }
}

export function packageVersion(): string {
  return (JSON.parse(fs.readFileSync(packageFile("package.json"), "utf8")) as { version: string }).version;
}

/** A file of the program: its source in a checkout, and what is made of it in a package, which has no sources. */
export function codeFile(source: string, built: string): string {
  const path = packageFile(source);
  return fs.existsSync(path) ? path : packageFile(built);
}

/**
 * What went wrong with a file, in the system's words and with its code: `no space left on device (ENOSPC)`.
 * Node's own errors have a code alone.
 */
export function systemReason(error: unknown): string {
  const { code, errno } = error as NodeJS.ErrnoException;
  return errno === undefined || errno >= 0 ? (code ?? String(error)) : `${getSystemErrorMessage(errno)} (${code})`;
}
