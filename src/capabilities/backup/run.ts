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
import { type Copied, checkBackup, makeBackup, restoreBackup, snapshotsLacking } from "./backup.ts";
import { assertReplaceable } from "./file/backup.ts";

const copied = within("copied", {
  ...all(whole, "bytes", "database_bytes"),
  sha256,
  snapshots: whole,
  newest_version: from("newestSnapshot", orNull(version)),
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
  const forgets = flags.keep !== undefined;
  using report = progressLine<{ done: number; planned: number }>(
    io,
    silentLog,
    ({ done, planned }) => `copying: ${done} of ${planned} pages`,
    (pages) => pages,
  );
  // A copy that a restore would refuse must not be the end of one that it would take.
  const isThorough = existsSync(place.file) || (forgets && sortBackups(place, flags).surplus.length > 0);
  const request = {
    file: place.file,
    makesDirectory: place.directory !== undefined,
    isPacked: place.isPacked,
    now: io.clock.now,
    report: report.show,
  };
  const copied = await makeBackup(database, request, isThorough ? io.hooks : undefined);
  report.end();
  const { kept, surplus } = forgets ? sortBackups(place, flags) : { kept: [], surplus: [] };
  const removed: string[] = [];
  for (const name of surplus) if (await isRemoved(join(place.directory ?? "", name), { io, database, copied })) removed.push(name);
  return { file: place.file, copied, isThorough, kept, removed };
}

type Kept = { readonly io: Io; readonly database: string; readonly copied: Copied };

/** Deletes a backup after making sure that the new one holds all of its snapshots. One that stays is named, with the reason. */
async function isRemoved(file: string, { io, database, copied }: Kept): Promise<boolean> {
  const stays = (why: string): false => {
    io.stderr(`movedex: \`${printable(file)}\` was not deleted, since it ${why}\n`);
    return false;
  };
  try {
    const lacking = snapshotsLacking(await checkBackup(file, io.clock.now), copied.versions);
    if (lacking !== undefined) return stays(`holds ${lacking}, which \`${printable(database)}\` lacks`);
  } catch (error) {
    if (!(error instanceof MovedexError)) throw error;
    return stays(`could not be checked: ${error.message}`);
  }
  rmSync(file);
  return true;
}

function keptText(kept: readonly string[], gone: readonly string[], word: string): string {
  return [...kept.map((name) => `  kept: ${printable(name)}\n`), ...gone.map((name) => `  ${word}: ${printable(name)}\n`)].join("");
}

export async function runRestore(io: Io, file: string, flags: RestoreFlags): Promise<void> {
  const { db: database } = flags;
  databaseAt(database).assertFile("restore", file);
  const { keptAside, ...copied } = await restoreBackup(database, { file, replaces: flags.replace === true, now: io.clock.now }, io.hooks);
  const words = keptAside === null ? "" : `  the database that was there is ${printable(keptAside)}\n`;
  await io.stdout(
    flags.json
      ? jsonLine(restoreResult.print({ database, copied, keptAside }))
      : `restored: ${printable(database)}\n${copiedText(copied, "verified whole")}${words}`,
  );
}

function copiedText(copied: Copied, checked: string): string {
  const packed = copied.bytes === copied.databaseBytes ? "" : `, ${formatBytes(copied.bytes)} packed`;
  const newest = copied.newestSnapshot === null ? "" : `, the newest at ledger version ${copied.newestSnapshot}`;
  const checks = copied.isOlder ? "checked: pages, references; its tables are older, so the rest waits for a command that writes" : checked;
  return (
    `  ${plural(copied.snapshots, "sealed snapshot")}${newest}; ${formatBytes(copied.databaseBytes)}${packed}\n` +
    `  ${checks}; sha256 ${copied.sha256}\n`
  );
}

type BackupPlace = {
  readonly file: string;
  readonly isPacked: boolean;
  /** The directory of backups named by their day; undefined when the file itself was named. */
  readonly directory: string | undefined;
};

/**
 * The file that was named or, in a directory, one named by the day (UTC), so that a second one that day replaces the first.
 * A directory is one that is there, or a path that ends in `/`.
 */
function choosePlace(file: string, { db: database, zstd: isPacked = false, keep }: BackupFlags, now: number): BackupPlace {
  databaseAt(database).assertFile("backup", file);
  const there = statSync(file, { throwIfNoEntry: false });
  // Of a series only a directory can be meant.
  const isDirectory = file.endsWith("/") || there?.isDirectory() === true || (keep !== undefined && there === undefined);
  if (!isDirectory && keep !== undefined)
    throw new ConfigError(`--keep needs a directory, and \`${printable(file)}\` is a file. Name a directory, which need not be there yet.`);
  if (!isDirectory) return { file, isPacked: isPacked || file.endsWith(".zst"), directory: undefined };
  const day = new Date(now).toISOString().slice(0, 10).replaceAll("-", "");
  return { file: join(file, `${stem(database)}-${day}.db${isPacked ? ".zst" : ""}`), isPacked, directory: file };
}

/** Makes sure that a backup can be made there: a file is made and removed. @throws MovedexError */
export async function requirePlace(file: string, flags: BackupFlags): Promise<void> {
  await assertReplaceable(choosePlace(file, flags, 0).file, flags.db);
  let folder = dirname(choosePlace(file, flags, 0).file);
  // Those that are missing are made with the backup, if a directory was named.
  while (choosePlace(file, flags, 0).directory !== undefined && !existsSync(folder)) folder = dirname(folder);
  try {
    requireRoom(folder);
  } catch (error) {
    throw fileFault("write", "backup", file, error, "Check that its directory exists and may be written to.");
  }
}

/**
 * The backups of a database in its directory, including the one being made, newest first: those of the newest `keep` days, and the others.
 */
function sortBackups(place: BackupPlace, { db: database, keep }: BackupFlags): { kept: string[]; surplus: string[] } {
  const begin = `${stem(database)}-`;
  const dayOf = (name: string): string => name.slice(begin.length, begin.length + 8);
  const isBackup = (name: string): boolean => name.startsWith(begin) && /^\d{8}\.db(\.zst)?$/.test(name.slice(begin.length));
  const there = place.directory !== undefined && existsSync(place.directory) ? readdirSync(place.directory) : [];
  const names = [...new Set([...there, basename(place.file)])].filter(isBackup).sort().reverse();
  const days = new Set([...new Set(names.map(dayOf))].slice(0, keep));
  return { kept: names.filter((name) => days.has(dayOf(name))), surplus: names.filter((name) => !days.has(dayOf(name))) };
}

function stem(database: string): string {
  return basename(database).replace(/\.(db|sqlite|sqlite3)$/, "");
}
