import { existsSync, mkdirSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { equalBytes, formatHex } from "../../core/base/bytes.ts";
import { printable } from "../../core/base/printable.ts";
import { derivedRowsOf, type Hooks } from "../../core/cli/hooks.ts";
import { countSnapshot } from "../../core/db/archive/snapshots/snapshot-digest.ts";
import type { Integer } from "../../core/db/engine/engine.ts";
import { damagedFile } from "../../core/db/engine/errors.ts";
import { textsOf } from "../../core/db/engine/row-shape.ts";
import { sealed } from "../../core/db/schema/sql/predicates.ts";
import { named, sql } from "../../core/db/schema/sql/sql.ts";
import { MovedexError } from "../../core/errors.ts";
import { verify } from "../verify/verify.ts";
import { type BackupRequest, backupFile, type CopyDoor, type CopyJudge, type FileCopy } from "./file/backup.ts";
import { notReplaced } from "./file/backup-file.ts";
import { type RestoreRequest, restoreFile } from "./file/restore.ts";

export type Copied = Omit<FileCopy<never>, "judged"> & {
  /** Whether its tables are those of an older movedex: what they hold can be checked once they are migrated. */
  readonly isOlder: boolean;
  readonly snapshots: number;
  /** Their ledger versions, ascending. */
  readonly versions: readonly bigint[];
  readonly newestSnapshot: bigint | null;
  /** The newest snapshot's seal, 64 hex digits. */
  readonly newestDigest: string | null;
};

/** What was put in place, and the path of what was there before. */
export type Restored = Copied & { readonly keptAside: string | null };

/** Copies a database and checks the copy before it takes its place: its seals, or all of it. @throws StoreError, ConfigError */
export async function makeBackup(database: string, request: BackupRequest, thoroughBy?: readonly Hooks[]): Promise<Copied> {
  const held = existsSync(request.file) ? await checkBackup(request.file, request.now).catch(nothingHeld) : [];
  const judge: CopyJudge<Seals> = async (copy) => {
    const seals = await copyJudge(thoroughBy)(copy);
    const lacking = snapshotsLacking(held, versionsOf(seals.rows));
    if (lacking === undefined) return seals;
    throw notReplaced(request.file, `holds ${lacking}, which \`${printable(database)}\` lacks`);
  };
  return describeCopy(await backupFile(database, request, judge));
}

/** A backup that nobody could restore holds nothing, nor does what is no backup. */
function nothingHeld(error: unknown): readonly bigint[] {
  if (error instanceof MovedexError) return [];
  throw error;
}

/** Puts a backup in the place of a database, verified whole. @throws StoreError, ConfigError */
export async function restoreBackup(database: string, request: RestoreRequest, hooks: readonly Hooks[]): Promise<Restored> {
  return describeCopy(await restoreFile(database, request, copyJudge(hooks)));
}

/**
 * Makes sure that a file is a backup that could be restored: unpacked in a folder beside it, its pages, references and seals checked.
 * @returns the ledger versions of its snapshots @throws StoreError
 */
export async function checkBackup(file: string, now: () => number): Promise<readonly bigint[]> {
  const folder = join(dirname(file), `.${basename(file)}.checking`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  try {
    return describeCopy(await restoreFile(join(folder, "copy.db"), { file, replaces: false, now }, copyJudge())).versions;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function describeCopy<C extends FileCopy<Seals>>({ judged: { rows, isOlder }, ...copy }: C): Omit<C, "judged"> & Copied {
  const newest = rows.at(-1);
  return {
    ...copy,
    isOlder,
    snapshots: rows.length,
    versions: versionsOf(rows),
    newestSnapshot: newest === undefined ? null : BigInt(newest[0]),
    newestDigest: newest === undefined ? null : formatHex(newest[1]),
  };
}

type SealRow = readonly [ledgerVersion: Integer, digest: Uint8Array];

type Seals = { readonly rows: readonly SealRow[]; readonly isOlder: boolean };

/** A copy may have the tables of an older movedex, which named this one otherwise. */
const tableOfSeals = sql`SELECT name FROM sqlite_schema WHERE type = 'table' AND name IN ('pins', '_pins')`;
const sealsIn = (table: string) =>
  sql<SealRow>`SELECT p.ledger_version, p.digest FROM ${named(table)} p WHERE ${sealed("p")} ORDER BY p.ledger_version`;

/** Checks a copy: its seals, the oldest and newest snapshot recounted; with `thoroughBy` all that `verify` checks. */
function copyJudge(thoroughBy?: readonly Hooks[]): CopyJudge<Seals> {
  return async (copy) => {
    const rows = await copy.session.all(sealsIn((await textsOf(copy.session, tableOfSeals))[0] ?? "_all_snapshots"));
    if (copy.isToday) await checkSeals(copy, rows);
    if (copy.isToday && thoroughBy !== undefined) await checkEverything(copy, thoroughBy);
    return { rows, isOlder: !copy.isToday };
  };
}

const versionsOf = (rows: readonly SealRow[]): bigint[] => rows.map(([version]) => BigInt(version));

/** Which snapshot of a backup another copy lacks, in words; undefined for none. A backup of another archive has some. */
export function snapshotsLacking(held: readonly bigint[], elsewhere: readonly bigint[]): string | undefined {
  const there = new Set(elsewhere);
  const lacking = held.find((version) => !there.has(version));
  return lacking === undefined ? undefined : `the snapshot of ledger version ${lacking}`;
}

async function checkSeals({ session, path }: CopyDoor, found: readonly SealRow[]): Promise<void> {
  for (const seal of new Set([found[0], found.at(-1)])) {
    if (seal === undefined || equalBytes((await countSnapshot(session, BigInt(seal[0]))).digest, seal[1])) continue;
    throw damagedFile(path, `the snapshot of ledger version ${seal[0]} does not hold what its seal says`);
  }
}

async function checkEverything(copy: CopyDoor, hooks: readonly Hooks[]): Promise<void> {
  for await (const { damage } of verify(copy, { part: 0, of: 1 }, await derivedRowsOf(hooks))) {
    const [first] = damage;
    if (first !== undefined) throw damagedFile(copy.path, printable(`${first.table} ${first.row}: ${first.problem}`, 1000));
  }
}
