import { existsSync, realpathSync, rmSync, statSync } from "node:fs";
import type { Database } from "better-sqlite3";
import { moveIntoPlace } from "../../base/files/durable-file.ts";
import { formatHex } from "../../base/hex.ts";
import { printable } from "../../base/printable.ts";
import { readHeader } from "../connection/database-header.ts";
import { guardedFiles } from "../connection/file-errors.ts";
import { takeLock } from "../connection/lock.ts";
import { openFile } from "../connection/open-file.ts";
import { BUSY_TIMEOUT_MS, checkOwner, missingDatabase } from "../connection/ownership.ts";
import { guarded } from "../connection/sqlite-errors.ts";
import { StoreError } from "../errors.ts";
import { compressFile, digestContent } from "./backup-compression.ts";
import { checkCopy, readSeals, type SealRow } from "./check-copy.ts";

/** What to copy where. */
export type BackupRequest = {
  readonly database: string;
  readonly file: string;
  /** Whether to pack the copy with Zstandard. */
  readonly isPacked: boolean;
  readonly now: () => number;
  /** Told as pages are copied. */
  readonly report: (pages: { readonly done: number; readonly planned: number }) => void;
};

/** A copy that was made, or one that was put in place. */
export type Copied = {
  /** Size of the file as it lies there. */
  readonly bytes: number;
  readonly databaseBytes: number;
  /** Of the database's plain bytes, 64 hex digits. */
  readonly sha256: string;
  readonly snapshots: number;
  readonly newestSnapshot: bigint | null;
  /** The newest snapshot's seal, 64 hex digits. */
  readonly newestDigest: string | null;
};

/** How many pages are copied between two turns of the event loop, in which signals and the progress line are handled. */
const PAGES_AT_ONCE = 1_000;

/**
 * Copies one state of a database, whatever is written to it meanwhile: copied beside its place, checked
 * there page by page and seal by seal (see `checkCopy`), and moved into place only then. A copy that fails, or a process
 * that is killed, leaves the earlier backup as it was; what it leaves besides, `<file>.part`, the next one writes over.
 *
 * @throws StoreError
 */
export async function makeBackup(request: BackupRequest): Promise<Copied> {
  const { database: path, file, isPacked } = request;
  if (!existsSync(path)) throw missingDatabase(path);
  await requireReplaceable(file, path);
  const lock = takeLock(path, request.now(), "backup");
  const part = `${file}.part`;
  const packed = `${file}.packed.part`;
  const temporary = [part, `${part}-journal`, `${part}-wal`, `${part}-shm`, packed];
  const clear = () => {
    for (const name of temporary) rmSync(name, { force: true });
  };
  try {
    return await guardedFiles(file, "write the backup", async () => {
      clear();
      const expected = await copyPages(path, part, request.report);
      const seals = await checkCopy(part, { expected, isThorough: false });
      const plain = await digestContent(part, Number.POSITIVE_INFINITY);
      if (isPacked) {
        await compressFile(part, packed);
        const again = await digestContent(packed, plain.bytes);
        if (again.sha256 !== plain.sha256)
          throw new StoreError("MOVEDEX_STORE_DAMAGED", `\`${printable(file)}\` did not unpack to what was packed.`);
      }
      moveIntoPlace(isPacked ? packed : part, file);
      return describeCopy(statSync(file).size, plain, seals);
    });
  } finally {
    clear();
    lock.release();
  }
}

/** The summary of a copy. */
export function describeCopy(bytes: number, plain: { readonly bytes: number; readonly sha256: string }, seals: readonly SealRow[]): Copied {
  const newest = seals.at(-1);
  return {
    bytes,
    databaseBytes: plain.bytes,
    sha256: plain.sha256,
    snapshots: seals.length,
    newestSnapshot: newest?.ledger_version ?? null,
    newestDigest: newest === undefined ? null : formatHex(newest.digest),
  };
}

/** Copies in one read transaction: it sees one moment, so others' writes neither change the copy nor make it begin again. */
async function copyPages(path: string, to: string, report: BackupRequest["report"]): Promise<SealRow[]> {
  const database = openFile(path, "database", { readonly: true, fileMustExist: true, timeout: BUSY_TIMEOUT_MS });
  try {
    const seals = guarded(path, "read the database", () => beginReading(database, path));
    await database.backup(to, {
      progress: ({ totalPages, remainingPages }) => {
        report({ done: totalPages - remainingPages, planned: totalPages });
        return PAGES_AT_ONCE;
      },
    });
    return seals;
  } catch (error) {
    return guarded(path, "copy the database", () => {
      throw error;
    });
  } finally {
    database.close();
  }
}

function beginReading(database: Database, path: string): SealRow[] {
  database.defaultSafeIntegers(true);
  checkOwner(database, path);
  database.exec("BEGIN");
  return readSeals(database);
}

/** A backup may take the place of a backup, and of nothing else. */
async function requireReplaceable(file: string, database: string): Promise<void> {
  if (!existsSync(file)) return;
  const isItself = realpathSync(file) === realpathSync(database);
  const header = isItself ? undefined : await guardedFiles(file, "look at", () => readHeader(file));
  if (header?.isOurs && !header.isLogged && !existsSync(`${file}-wal`)) return;
  const what = isItself ? "the database itself" : header?.isOurs ? "a database in use" : "no backup of movedex's";
  throw new StoreError(
    "MOVEDEX_STORE_PRESENT",
    `\`${printable(file)}\` is ${what}, and was left as it is. Name another file for the backup.`,
    {
      facts: { path: file },
    },
  );
}
