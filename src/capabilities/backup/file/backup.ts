import { existsSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { isSameFile, makeDirectory, moveIntoPlace } from "../../../core/base/files.ts";
import { printable } from "../../../core/base/printable.ts";
import type { Hooks } from "../../../core/cli/hooks.ts";
import { placeError, StoreError } from "../../../core/db/engine/errors.ts";
import { sideFilesOf, takeLock } from "../../../core/db/engine/sqlite/lock.ts";
import { BUSY_TIMEOUT_MS, checkOwner, missingDatabase, openFile } from "../../../core/db/engine/sqlite/open-file.ts";
import { guarded, translateSqliteError } from "../../../core/db/engine/sqlite/sqlite-errors.ts";
import { assertTables } from "../../../core/db/engine/sqlite/tables/expected-schema.ts";
import { readSchemaState } from "../../../core/db/engine/sqlite/tables/migrate.ts";
import { MovedexError } from "../../../core/errors.ts";
import { type Copied, checkCopy } from "./check-copy.ts";
import { compressFile, guardedFiles, readHeader, readPlain, withParts } from "./packed-file.ts";
import { checkBackup } from "./restore.ts";

/** Where a backup is made. */
export type BackupPlace = {
  readonly file: string;
  readonly isPacked: boolean;
  /** The directory of backups named by their day, which need not be there yet; undefined when the file itself was named. */
  readonly directory: string | undefined;
};

type BackupRequest = BackupPlace & {
  readonly now: () => number;
  readonly report: (pages: { readonly done: number; readonly planned: number }) => void;
};

/** How many pages are copied between two turns of the event loop, in which signals and the progress line are handled. */
const PAGES_AT_ONCE = 1_000;

/**
 * Copies one state of a database, whatever is written meanwhile: beside its place, checked there (with `thoroughBy` whole), and moved into
 * place only then. A copy that fails or is killed leaves the earlier backup as it was; the next one writes over its `<file>.part`.
 * @throws StoreError, ConfigError
 */
export async function makeBackup(database: string, request: BackupRequest, thoroughBy?: readonly Hooks[]): Promise<Copied> {
  const { file, directory, isPacked, now, report } = request;
  if (!existsSync(database)) throw missingDatabase(database);
  await assertReplaceable(file, database);
  using lock = new DisposableStack();
  lock.defer(takeLock(database, now(), "backup").release);
  const before = existsSync(file) ? await checkBackup(file).catch(nothingHeld) : [];
  const wanted = "write the backup";
  if (directory !== undefined) await guardedFiles(file, wanted, () => makeDirectory(directory));
  const [part, packed] = [`${file}.part`, `${file}.packed.part`];
  return await withParts([part, packed], file, wanted, async () => {
    // better-sqlite3 says only in words why it cannot make a file; the system has a code.
    writeFileSync(part, "");
    await copyPages(database, part, report);
    const held = await checkCopy(part, database, thoroughBy).catch((error: unknown) => {
      throw ofSource(error, database);
    });
    const lack = lackOf(database, held.versions, before);
    if (lack !== undefined) throw notReplaced(file, lack);
    const plain = isPacked ? await compressFile(part, packed) : await readPlain(part);
    if (isPacked && (await readPlain(packed, { limit: plain.bytes })).sha256 !== plain.sha256)
      throw new StoreError("MOVEDEX_STORE_DAMAGED", `\`${printable(file)}\` does not unpack to its original content.`);
    moveIntoPlace(isPacked ? packed : part, file);
    return { ...held, bytes: statSync(file).size, databaseBytes: plain.bytes, sha256: plain.sha256 };
  });
}

/** A backup that nobody could restore holds nothing, nor does what is no backup. */
function nothingHeld(error: unknown): readonly bigint[] {
  if (error instanceof MovedexError) return [];
  throw error;
}

/** What an earlier backup has that a new copy lacks, in words; undefined for nothing. A backup of another archive has some. */
export function lackOf(database: string, versions: readonly bigint[], earlier: readonly bigint[]): string | undefined {
  const held = new Set(versions);
  const lacking = earlier.find((version) => !held.has(version));
  return lacking === undefined ? undefined : `holds the snapshot of ledger version ${lacking}, which \`${printable(database)}\` lacks`;
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

/** The error of one whose backup would take the place of something that is worth more. */
export function notReplaced(file: string, why: string): StoreError {
  const text = `\`${printable(file)}\` ${why}, and was left as it is. Name another file for the backup.`;
  return placeError(file, "MOVEDEX_STORE_PRESENT", text);
}
