import { createHash } from "node:crypto";
import { compareUtf8 } from "../../base/bytes.ts";
import { formatHex } from "../../base/hex.ts";
import { type Address, formatLongAddress } from "../../move/address.ts";
import type { SeenRecord } from "./records.ts";

/**
 * What a seal says of a snapshot's content. `digest` is 32 bytes; see `prepareSeal`. `recordsDigest` is over the `recordLine`
 * of each account; it depends on how the node was asked, so it compares no two databases.
 */
export type SnapshotTotals = {
  readonly accounts: number;
  /** Of these, accounts whose record was read. */
  readonly records: number;
  readonly modules: number;
  readonly digest: Uint8Array;
  readonly recordsDigest: Uint8Array;
};

/** A module's name and SHA-256. */
export type ModuleDigest = readonly [name: string, sha256: Uint8Array];

/** The part of a seal's digest that one account is: its modules in the order of names. */
export function digestLines(address: Address, modules: readonly ModuleDigest[]): string {
  let lines = "";
  for (const [name, sha256] of modules) lines += digestLine(address, name, sha256);
  return lines;
}

export function digestLine(address: Address, name: string, sha256: Uint8Array): string {
  return `${formatLongAddress(address)}::${name} ${formatHex(sha256)}\n`;
}

/** The part of a seal's records digest that one account is, whether or not it has a record. */
export function recordLine(address: Address, record: SeenRecord): string {
  if (record === "unread") return `${formatLongAddress(address)} unread\n`;
  if (record === undefined) return `${formatLongAddress(address)}\n`;
  const { sequenceNumber, authenticationKey, resource } = record;
  const bytes = resource === null ? "json" : formatHex(resource);
  return `${formatLongAddress(address)} ${sequenceNumber} ${formatHex(authenticationKey)} ${bytes}\n`;
}

/**
 * What names a listing: the SHA-256 of one line `<name> <SHA-256 in hex>\n` for each module, in the bytewise order of names.
 * Names hold neither spaces nor line breaks (`STORABLE_NAME`), so that no two listings have the same lines.
 */
export function listingDigest(modules: Iterable<{ readonly name: string; readonly sha256: Uint8Array }>): Uint8Array {
  const sorted = [...modules].sort((a, b) => compareUtf8(a.name, b.name));
  const hash = createHash("sha256");
  for (const { name, sha256 } of sorted) hash.update(`${name} ${formatHex(sha256)}\n`);
  return new Uint8Array(hash.digest());
}
