import { existsSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { Database } from "better-sqlite3";
import { isSameFile, makeDirectory, moveIntoPlace } from "../../../core/base/files.ts";
import { printable } from "../../../core/base/printable.ts";
import type { VerifyDoor } from "../../../core/db/engine/check.ts";
import { damagedFile, placeError, StoreError } from "../../../core/db/engine/errors.ts";
import { sideFilesOf, takeLock } from "../../../core/db/engine/sqlite/lock.ts";
import { BUSY_TIMEOUT_MS, checkOwner, missingDatabase, openFile } from "../../../core/db/engine/sqlite/open-file.ts";
import { guarded, translateSqliteError } from "../../../core/db/engine/sqlite/sqlite-errors.ts";
import { addedTables, addedTo, assertTables, schemaDamage } from "../../../core/db/engine/sqlite/tables/expected-schema.ts";
import { readSchemaState } from "../../../core/db/engine/sqlite/tables/migrate.ts";
import { verifyDoor } from "../../../core/db/engine/sqlite/verify-file.ts";
import { compressFile, digestContent, guardedFiles, notReplaced, readHeader } from "./backup-file.ts";

export type BackupRequest = {
  readonly file: string;
  readonly makesDirectory: boolean;
  readonly isPacked: boolean;
  readonly now: () => number;
  readonly report: (pages: { readonly done: number; readonly planned: number }) => void;
};

export type FileCopy<S> = {
  readonly bytes: number;
  readonly databaseBytes: number;
  /** Of the database's plain bytes, 64 hex digits. */
  readonly sha256: string;
  readonly judged: S;
};

/** A copy that no other process uses: movedex's own tables, every page, index and reference in order. */
export type CopyDoor = VerifyDoor & {
  readonly path: string;
  /** Whether its tables are today's. Those of an older movedex cannot be read before they are migrated, which is not done to a copy. */
  readonly isToday: boolean;
};

/** What an archive makes sure of in a copy before it takes its place, and what it then says of it. @throws StoreError */
export type CopyJudge<S> = (copy: CopyDoor) => Promise<S>;

/** How many pages are copied between two turns of the event loop, in which signals and the progress line are handled. */
const PAGES_AT_ONCE = 1_000;

/**
 * Copies one state of a database, whatever is written meanwhile: beside its place, checked there, and moved into place only then. A copy
 * that fails or is killed leaves the earlier backup as it was; the next one writes over its `<file>.part`. @throws StoreError
 */
export async function backupFile<S>(path: string, request: BackupRequest, judge: CopyJudge<S>): Promise<FileCopy<S>> {
  const { file, makesDirectory, isPacked } = request;
  if (!existsSync(path)) throw missingDatabase(path);
  await assertReplaceable(file, path);
  const lock = takeLock(path, request.now(), "backup");
  const part = `${file}.part`;
  const packed = `${file}.packed.part`;
  const temporary = [part, `${part}-journal`, `${part}-wal`, `${part}-shm`, packed];
  const clear = () => {
    for (const name of temporary) rmSync(name, { force: true });
  };
  const copy = async (): Promise<FileCopy<S>> => {
    // better-sqlite3 says only in words why it cannot make a file; the system has a code.
    writeFileSync(part, "");
    await copyPages(path, part, request.report);
    const judged = await judgeCopy(part, path, judge).catch((error: unknown) => {
      throw ofSource(error, path);
    });
    const plain = isPacked ? await compressFile(part, packed) : await digestContent(part, Number.POSITIVE_INFINITY);
    if (isPacked) {
      const again = await digestContent(packed, plain.bytes);
      if (again.sha256 !== plain.sha256)
        throw new StoreError("MOVEDEX_STORE_DAMAGED", `\`${printable(file)}\` does not unpack to its original content.`);
    }
    moveIntoPlace(isPacked ? packed : part, file);
    return { bytes: statSync(file).size, databaseBytes: plain.bytes, sha256: plain.sha256, judged };
  };
  try {
    return await guardedFiles(file, "write the backup", async () => {
      if (makesDirectory) makeDirectory(dirname(file));
      clear();
      return await copy().finally(clear);
    });
  } finally {
    lock.release();
  }
}

/** Opens a copy, which makes sure that it is whole, and has it judged. Errors name `of`, which stays. @throws StoreError */
export async function judgeCopy<S>(part: string, of: string, judge: CopyJudge<S>): Promise<S> {
  const copy = openCopy(part, of);
  try {
    return await judge(copy);
  } finally {
    await copy.close();
  }
}

/** What is wrong with a fresh copy is said of its source: the copy is gone when the sentence is read. */
function ofSource(error: unknown, source: string): unknown {
  if (!(error instanceof StoreError) || error.code !== "MOVEDEX_STORE_DAMAGED" || "added" in error.facts) return error;
  const name = printable(source);
  const text = `the copy of \`${name}\` failed its check, so \`${name}\` itself is very likely damaged; no backup was replaced or deleted. Run \`movedex verify --db ${name}\`. What was found: ${error.message}`;
  return placeError(source, error.code, text, {}, error);
}

/** Copies in one read transaction: it sees one moment, so others' writes neither change the copy nor make it begin again. */
async function copyPages(path: string, to: string, report: BackupRequest["report"]): Promise<void> {
  const database = openFile(path, "database", { readonly: true, fileMustExist: true, timeout: BUSY_TIMEOUT_MS });
  try {
    guarded(path, "read the database", () => {
      checkOwner(database, path);
      assertTables(database, path, readSchemaState(database, path).applied);
      database.exec("BEGIN");
      // Only with its first question a transaction begins to see.
      database.prepare("SELECT count(*) FROM sqlite_schema").get();
    });
    await database.backup(to, {
      progress: ({ totalPages, remainingPages }) => {
        report({ done: totalPages - remainingPages, planned: totalPages });
        return PAGES_AT_ONCE;
      },
    });
  } catch (error) {
    throw translateSqliteError(error, `make in \`${printable(dirname(to))}\` a copy of`, path);
  } finally {
    database.close();
  }
}

/** A backup may take the place of a backup, and of nothing else. @throws StoreError `MOVEDEX_STORE_PRESENT` */
export async function assertReplaceable(file: string, database: string): Promise<void> {
  if ([database, ...sideFilesOf(database)].some((own) => isSameFile(own, file))) throw notReplaced(file, "is the database's own file");
  if (!existsSync(file)) return;
  const header = await guardedFiles(file, "look at", () => readHeader(file));
  if (header?.isOurs && !header.isLogged && !existsSync(`${file}-wal`)) return;
  throw notReplaced(file, `is ${header?.isOurs ? "a database in use" : "no backup of movedex's"}`);
}

/**
 * Opens a file that no other process uses, and makes it one plain file. It checks that the file is a whole database of movedex's: its
 * tables, indexes and triggers are those that movedex makes, every page and index can be read, and every reference followed. Errors name
 * `path`.
 *
 * @throws StoreError `MOVEDEX_STORE_DAMAGED`, `MOVEDEX_STORE_FOREIGN`, `MOVEDEX_STORE_NOT_A_DATABASE`, `MOVEDEX_STORE_NEWER`
 */
function openCopy(file: string, path = file): CopyDoor {
  const database = openFile(file, "copy", { fileMustExist: true });
  try {
    const isToday = guarded(path, "check the copy", () => {
      database.defaultSafeIntegers(true);
      checkOwner(database, path);
      const { applied, known } = readSchemaState(database, path);
      // Comes first: reading a table whose schema another program wrote may run code in that schema.
      assertSchema(database, path);
      database.pragma("journal_mode = DELETE");
      checkStructure(database, path);
      return applied === known;
    });
    return {
      path,
      isToday,
      ...verifyDoor(database, path),
      close: async () => {
        database.close();
      },
    };
  } catch (error) {
    database.close();
    throw error;
  }
}

function checkStructure(database: Database, path: string): void {
  const found = database.pragma("integrity_check(1)", { simple: true });
  if (found !== "ok") throw damagedFile(path, printable(String(found)));
  const added = new Set(addedTables(database, readSchemaState(database, path).applied));
  const [stray] = (database.pragma("foreign_key_check") as readonly { readonly table: string }[]).filter(({ table }) => !added.has(table));
  if (stray !== undefined) throw damagedFile(path, `a row of ${printable(stray.table)} refers to a row that is not there`);
}

/** Makes sure of the tables, before anything else of a database is read. @throws StoreError `MOVEDEX_STORE_DAMAGED` */
function assertSchema(database: Database, path: string): void {
  const [first] = schemaDamage(database, readSchemaState(database, path).applied);
  if (first === undefined) return;
  if (first.isAdded) throw addedTo(path, first);
  throw damagedFile(path, `\`${first.name}\`: ${first.problem}. Only what movedex makes itself can be restored safely`);
}
