import { formatHex } from "../../base/hex.ts";
import type { BackupRequest, FileCopy, RestoreRequest } from "../../engine/copies.ts";
import { databaseAt } from "../../engine/database-at.ts";
import { copyJudge, type SealRow } from "./check-copy.ts";

/** A copy that was made, or one that was put in place. */
export type Copied = Omit<FileCopy<never>, "seals"> & {
  readonly snapshots: number;
  readonly newestSnapshot: bigint | null;
  /** The newest snapshot's seal, 64 hex digits. */
  readonly newestDigest: string | null;
};

/** What was put in place, and the path of what was there before. */
export type Restored = Copied & { readonly keptAside: string | null };

/** Copies one state of a database, and checks the copy seal by seal before it takes its place. @throws StoreError, ConfigError */
export async function makeBackup(database: string, request: BackupRequest): Promise<Copied> {
  return describeCopy(await databaseAt(database).backup(request, copyJudge(false)));
}

/** Puts a backup in the place of a database, verified whole. @throws StoreError, ConfigError */
export async function restoreBackup(database: string, request: RestoreRequest): Promise<Restored> {
  return describeCopy(await databaseAt(database).restore(request, copyJudge(true)));
}

function describeCopy<C extends FileCopy<readonly SealRow[]>>({ seals, ...copy }: C): Omit<C, "seals"> & Copied {
  const newest = seals.at(-1);
  return {
    ...copy,
    snapshots: seals.length,
    newestSnapshot: newest === undefined ? null : BigInt(newest[0]),
    newestDigest: newest === undefined ? null : formatHex(newest[1]),
  };
}
