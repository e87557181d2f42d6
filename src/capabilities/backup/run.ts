import { existsSync, readdirSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { requireRoom } from "../../core/base/files.ts";
import { silentLog } from "../../core/base/log.ts";
import { formatBytes, plural } from "../../core/base/plural.ts";
import { printable } from "../../core/base/printable.ts";
import { all, always, either, from, list, object, orNull, sha256, text, truth, version, whole, within } from "../../core/base/result.ts";
import type { Io } from "../../core/cli/io.ts";
import type { NightStep } from "../../core/cli/night-part.ts";
import { fileFault } from "../../core/cli/options/text-file.ts";
import { jsonLine } from "../../core/cli/output/json-line.ts";
import { progressLine } from "../../core/cli/output/progress-line.ts";
import { databaseAt } from "../../core/db/engine/database-at.ts";
import { ConfigError, MovedexError } from "../../core/errors.ts";
import { assertReplaceable, type BackupPlace, lackOf, makeBackup } from "./file/backup.ts";
import type { Copied } from "./file/check-copy.ts";
import { checkBackup, restoreBackup } from "./file/restore.ts";

const newestIn = ({ versions }: Pick<Copied, "versions">): bigint | null => versions.at(-1) ?? null;

const copied = within("copied", {
  ...all(whole, "bytes", "database_bytes"),
  sha256,
  snapshots: from("versions.length", whole),
  newest_version: from(newestIn, orNull(version)),
  newest_digest: orNull(sha256),
  is_older: truth,
});

export const backupResult = object({ file: text, ...copied, removed: from("removed.length", whole) });

export const planResult = object({ dry_run: always(true, truth), file: text, kept: list(text), surplus: list(text) });

export const backupResults = either<unknown>([backupResult, planResult]);

export const restoreResult = object({ database: text, ...copied, kept_aside: orNull(text) });

/** How many backups to keep; all of them without a number. */
export type Retention = { readonly keep?: number };

export type BackupFlags = Retention & { readonly db: string; readonly zstd?: boolean; readonly dryRun?: boolean; readonly json?: boolean };

export type RestoreFlags = { readonly db: string; readonly replace?: boolean; readonly json?: boolean };

export async function runBackup(io: Io, file: string, flags: BackupFlags): Promise<void> {
  if (flags.dryRun) {
    const place = choosePlace(file, flags, io.clock.now());
    const { kept, surplus } = sortBackups(place, flags);
    const plan = { file: place.file, kept, surplus };
    return await io.stdout(
      flags.json
        ? jsonLine(planResult.print(plan))
        : `would back up to ${printable(place.file)}\n${flags.keep === undefined ? "" : keptText(kept, surplus, "would delete")}`,
    );
  }
  const made = await backUp(io, file, flags);
  const checked = made.isThorough ? "verified whole" : "checked: pages, references, seals";
  await io.stdout(
    flags.json
      ? jsonLine(backupResult.print(made))
      : `backup: ${printable(made.file)}\n${copiedText(made.copied, checked)}${keptText(made.kept, made.removed, "deleted")}`,
  );
}

export type StepFlags = BackupFlags & { readonly file: string };

export const step: NightStep<StepFlags, Awaited<ReturnType<typeof backUp>>> = {
  run: (io, { file, ...flags }) => backUp(io, file, flags),
  print: backupResult.print,
};

async function backUp(io: Io, file: string, flags: BackupFlags) {
  const { db: database } = flags;
  const place = choosePlace(file, flags, io.clock.now());
  const sort = () => (flags.keep === undefined ? { kept: [], surplus: [] } : sortBackups(place, flags));
  using progress = progressLine<{ done: number; planned: number }>(
    io,
    silentLog,
    ({ done, planned }) => `copying: ${done} of ${planned} pages`,
    (pages) => pages,
  );
  // A copy that a restore would refuse must not be the end of one that it would take.
  const isThorough = existsSync(place.file) || sort().surplus.length > 0;
  const request = { ...place, now: io.clock.now, report: progress.show };
  const copied = await makeBackup(database, request, isThorough ? io.hooks : undefined);
  progress.end();
  const { kept, surplus } = sort();
  const removed: string[] = [];
  for (const name of surplus) {
    const older = join(dirname(place.file), name);
    const why = await whyKept(older, database, copied);
    if (why !== undefined) io.stderr(`movedex: \`${printable(older)}\` was not deleted, since it ${why}\n`);
    else {
      rmSync(older);
      removed.push(name);
    }
  }
  return { file: place.file, copied, isThorough, kept, removed };
}

/** Why an older backup is not to be deleted; undefined where the new one holds all of its snapshots. */
async function whyKept(file: string, database: string, { versions }: Copied): Promise<string | undefined> {
  try {
    return lackOf(database, versions, await checkBackup(file));
  } catch (error) {
    if (!(error instanceof MovedexError)) throw error;
    return `could not be checked: ${error.message}`;
  }
}

function keptText(kept: readonly string[], gone: readonly string[], word: string): string {
  return [...kept.map((name) => `  kept: ${printable(name)}\n`), ...gone.map((name) => `  ${word}: ${printable(name)}\n`)].join("");
}

export async function runRestore(io: Io, file: string, flags: RestoreFlags): Promise<void> {
  const { db: database } = flags;
  databaseAt(database).assertFile("restore", file);
  const request = { file, replaces: flags.replace === true, now: io.clock.now };
  const { keptAside, ...copied } = await restoreBackup(database, request, io.hooks);
  const words = keptAside === null ? "" : `  the database that was there is ${printable(keptAside)}\n`;
  await io.stdout(
    flags.json
      ? jsonLine(restoreResult.print({ database, copied, keptAside }))
      : `restored: ${printable(database)}\n${copiedText(copied, "verified whole")}${words}`,
  );
}

function copiedText(copied: Copied, checked: string): string {
  const packed = copied.bytes === copied.databaseBytes ? "" : `, ${formatBytes(copied.bytes)} packed`;
  const newest = copied.versions.length === 0 ? "" : `, the newest at ledger version ${newestIn(copied)}`;
  const checks = copied.isOlder ? "checked: pages, references; its tables are older, so the rest waits for a command that writes" : checked;
  return (
    `  ${plural(copied.versions.length, "sealed snapshot")}${newest}; ${formatBytes(copied.databaseBytes)}${packed}\n` +
    `  ${checks}; sha256 ${copied.sha256}\n`
  );
}

/**
 * The file that was named or, in a directory, one named by the day (UTC), so that a second one that day replaces the first.
 * A directory is one that is there, or a path that ends in `/`.
 */
function choosePlace(file: string, { db: database, zstd: isPacked = false, keep }: BackupFlags, now: number): BackupPlace {
  databaseAt(database).assertFile("backup", file);
  const there = statSync(file, { throwIfNoEntry: false });
  // Of a series only a directory can be meant, but by the name of a file.
  const isNew = keep !== undefined && there === undefined && !/\.(?:db|zst)$/.test(file);
  const isDirectory = file.endsWith("/") || there?.isDirectory() === true || isNew;
  if (!isDirectory && keep !== undefined)
    throw new ConfigError(
      `--keep needs a directory, and \`${printable(file)}\` names a file. Name a directory, which need not be there yet.`,
    );
  if (!isDirectory) return { file, isPacked: isPacked || file.endsWith(".zst"), directory: undefined };
  const day = new Date(now).toISOString().slice(0, 10).replaceAll("-", "");
  return { file: join(file, `${stem(database)}-${day}.db${isPacked ? ".zst" : ""}`), isPacked, directory: file };
}

/** Makes sure that a backup can be made there: a file is made and removed. @throws MovedexError */
export async function requirePlace(path: string, flags: BackupFlags): Promise<void> {
  const { file, directory } = choosePlace(path, flags, 0);
  await assertReplaceable(file, flags.db);
  let folder = dirname(file);
  // Those that are missing are made with the backup, if a directory was named.
  while (directory !== undefined && !existsSync(folder)) folder = dirname(folder);
  try {
    requireRoom(folder);
  } catch (error) {
    throw fileFault("write", "backup", path, error, "Check that its directory exists and may be written to.");
  }
}

/**
 * The backups of a database in its directory, including the one being made, newest first: those of the newest `keep` days, and the others.
 * A later day than today is of a clock that was ahead, and counts as the oldest: else it would be the newest for years.
 */
function sortBackups(place: BackupPlace, { db: database, keep }: BackupFlags): { kept: string[]; surplus: string[] } {
  const begin = `${stem(database)}-`;
  const dayOf = (name: string): string => name.slice(begin.length, begin.length + 8);
  const isBackup = (name: string): boolean => name.startsWith(begin) && /^\d{8}\.db(\.zst)?$/.test(name.slice(begin.length));
  const there = place.directory !== undefined && existsSync(place.directory) ? readdirSync(place.directory) : [];
  const isLate = (name: string): boolean => dayOf(name) > dayOf(basename(place.file));
  const newestFirst = [...new Set([...there, basename(place.file)])].filter(isBackup).sort().reverse();
  const names = [...newestFirst.filter((name) => !isLate(name)), ...newestFirst.filter(isLate)];
  const days = new Set([...new Set(names.map(dayOf))].slice(0, keep));
  return { kept: names.filter((name) => days.has(dayOf(name))), surplus: names.filter((name) => !days.has(dayOf(name))) };
}

function stem(database: string): string {
  return basename(database).replace(/\.(db|sqlite|sqlite3)$/, "");
}
