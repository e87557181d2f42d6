import { parseU64 } from "../base/numbers.ts";
import { printable } from "../base/printable.ts";
import type { ModuleArchive } from "../db/archive/read/module-archive.ts";
import { readSealedVersions } from "../db/archive/snapshots/snapshot-queries.ts";
import { ConfigError } from "../errors.ts";
import type { Address } from "../move/address.ts";
import { NotHeldError } from "./subject.ts";

const WORDS = ["latest", "previous", "oldest"] as const;

/** Whether text names a snapshot by itself: a ledger version or one of the words. */
export function namesSnapshot(text: string): boolean {
  return /^\d+$/.test(text) || WORDS.includes(text as (typeof WORDS)[number]);
}

/**
 * The sealed snapshot that a person named: a version, `latest`, `previous` or `oldest`; of an account, the last two are among
 * those that cover it. @throws NotHeldError when none was sealed there; ConfigError when the text names none
 */
export async function chooseSnapshot(archive: ModuleArchive, text: string, account?: Address): Promise<bigint> {
  const sealed = await readSealedVersions(archive.engine);
  if (sealed.length === 0)
    throw new NotHeldError(`\`${printable(archive.path)}\` holds no sealed snapshot yet: \`movedex sync\` makes the first.`);
  if (text === "latest") return sealed.at(-1) as bigint;
  if (text === "oldest") return (account && (await archive.oldestCovering(account))) ?? (sealed[0] as bigint);
  if (text === "previous") {
    const before = (account && (await archive.newestCovering(account, sealed.at(-1)))) ?? sealed.at(-2);
    if (before !== undefined) return before;
    const only = `\`${printable(archive.path)}\` holds one snapshot only, at ledger version ${sealed[0]}`;
    throw new NotHeldError(`${only}: there is none before it.`);
  }
  const version = parseVersion(text);
  if (!sealed.includes(version)) throw noSnapshotAt(archive.path, version, sealed);
  return version;
}

/** An account's snapshots nearest to a version that was not read, on either side. */
export async function coveringNeighbours(archive: ModuleArchive, address: Address, version: bigint) {
  return [await archive.newestCovering(address, version), await archive.oldestCovering(address, version)] as const;
}

/** A ledger version. @throws ConfigError */
export function parseVersion(text: string): bigint {
  const version = parseU64(text);
  if (version !== undefined) return version;
  throw new ConfigError(`\`${printable(text, 60)}\` is not a ledger version. Give a number, \`latest\`, \`previous\` or \`oldest\`.`);
}

/** Why nothing can be said about an account at a sealed snapshot. */
export async function unknownReason(archive: ModuleArchive, address: Address, version: bigint): Promise<string | undefined> {
  if (await archive.covers(address, version)) return undefined;
  const gap = await archive.gapReason(address, version);
  return gap === undefined ? `it was not asked about ${address}` : `${address} gave no answer (${printable(gap, 80)})`;
}

/** The error of one who names a version of which the database at `path` holds no snapshot. `held`: the versions it does, ascending. */
export function noSnapshotAt(path: string, version: bigint, held: readonly bigint[]): NotHeldError {
  const before = held.findLast((one) => one < version);
  const after = held.find((one) => one > version);
  const near = [before, after].filter((one) => one !== undefined);
  const where = near.length === 0 ? "it holds none yet" : `the nearest: ${near.join(" and ")}`;
  return new NotHeldError(`\`${printable(path)}\` holds no snapshot at ledger version ${version}; ${where}.`, {
    version,
    versions: near.map(String),
  });
}
