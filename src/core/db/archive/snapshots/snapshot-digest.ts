import { createHash } from "node:crypto";
import { compareUtf8, formatHex } from "../../../base/bytes.ts";
import { sha256 } from "../../../base/sha256.ts";
import { type Address, formatLongAddress } from "../../../move/address.ts";
import type { Session } from "../../engine/engine.ts";
import { includesVersion } from "../../schema/sql/predicates.ts";
import { sql } from "../../schema/sql/sql.ts";
import { type RecordCells, recordIn, type SeenRecord } from "./covering.ts";

/**
 * What a seal says of a snapshot's content. `digest` is 32 bytes; see `sealQueries`. `recordsDigest` is over the `recordLine`
 * of each account; it depends on how the node was asked, so it compares no two databases.
 */
export type SnapshotTotals = {
  readonly accounts: number;
  readonly records: number;
  readonly modules: number;
  readonly digest: Uint8Array;
  readonly recordsDigest: Uint8Array;
};

/** The part of a seal's digest that one module is. */
function digestLine(address: Address, name: string, sha256: Uint8Array): string {
  return `${formatLongAddress(address)}::${name} ${formatHex(sha256)}\n`;
}

/** The part of a seal's records digest that one account is, whether or not it has a record. */
function recordLine(address: Address, record: SeenRecord): string {
  if (record === "unread") return `${formatLongAddress(address)} unread\n`;
  if (record === undefined) return `${formatLongAddress(address)}\n`;
  const { sequenceNumber, authenticationKey, resource } = record;
  const bytes = resource === null ? "json" : formatHex(resource);
  return `${formatLongAddress(address)} ${sequenceNumber} ${formatHex(authenticationKey)} ${bytes}\n`;
}

const covered = sql`FROM _coverage c JOIN _addresses a ON a.id = c.address_id`;
const inOrder = sql`length(a.address), a.address`;
const modules = sql<[Address, string, Uint8Array]>`SELECT a.address, m.name, b.sha256 ${covered}
  JOIN _listing_spans s ON s.address_id = c.address_id AND ${includesVersion("s", ":version")}
  JOIN _listing_modules m ON m.listing_id = s.listing_id JOIN _bytecodes b ON b.id = m.bytecode_id
  WHERE ${includesVersion("c", ":version")} ORDER BY ${inOrder}, m.name`;
const records = sql<[Address, isRead: 0 | 1, ...RecordCells]>`SELECT a.address, CASE WHEN c.reads_record THEN 1
  ELSE 0 END, r.sequence_number, r.authentication_key, r.resource ${covered} LEFT JOIN _account_spans r ON r.address_id = c.address_id
  AND ${includesVersion("r", ":version")} WHERE ${includesVersion("c", ":version")} ORDER BY ${inOrder}`;

/** What a sealed snapshot holds, counted from the spans: all accounts that it covers. */
export async function countSnapshot(session: Session, version: bigint): Promise<SnapshotTotals> {
  const counts = { accounts: 0, records: 0, modules: 0 };
  const [digest, recordsDigest] = [createHash("sha256"), createHash("sha256")];
  for await (const rows of session.stream(modules, { version })) {
    counts.modules += rows.length;
    digest.update(rows.map((row) => digestLine(...row)).join(""));
  }
  for await (const rows of session.stream(records, { version })) {
    counts.accounts += rows.length;
    counts.records += rows.filter(([, isRead]) => isRead === 1).length;
    recordsDigest.update(
      rows.map(([address, isRead, ...cells]) => recordLine(address, isRead === 1 ? recordIn(cells) : "unread")).join(""),
    );
  }
  return { ...counts, digest: new Uint8Array(digest.digest()), recordsDigest: new Uint8Array(recordsDigest.digest()) };
}

/** The digest of an empty listing, which has no row. */
export const NO_MODULES = sha256(new Uint8Array());

/**
 * What names a listing: the SHA-256 of one line `<name> <SHA-256 in hex>\n` for each module, in the bytewise order of names.
 * Names hold neither spaces nor line breaks (`STORABLE_NAME`), so that no two listings have the same lines.
 */
export function listingDigest(modules: Iterable<{ readonly name: string; readonly sha256: Uint8Array }>): Uint8Array {
  const sorted = [...modules].sort((a, b) => compareUtf8(a.name, b.name));
  return sha256(sorted.map((module) => `${module.name} ${formatHex(module.sha256)}\n`).join(""));
}
