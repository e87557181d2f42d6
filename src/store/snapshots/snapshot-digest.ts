import { createHash } from "node:crypto";
import type { Database } from "better-sqlite3";
import { formatHex } from "../../base/hex.ts";
import { type Address, formatLongAddress } from "../../move/address.ts";
import { holds } from "../../schema/sql/predicates.ts";
import { inSqlite } from "../../schema/sql/sqlite-words.ts";
import type { HotStatements } from "../connection/hot-statements.ts";
import { type RecordCells, recordIn, type StoredRecord } from "./records.ts";

/**
 * What a seal says of a snapshot's content. `digest` is 32 bytes; see `SealStore.seal`. `recordsDigest` is the SHA-256 of
 * the `recordLine` of each account in the order of addresses: it depends on how the node was asked (JSON leaves out the
 * resource), so it tells whether a database is intact and is no means to compare two.
 */
export type SnapshotTotals = {
  readonly accounts: number;
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

/** One line of it. */
export function digestLine(address: Address, name: string, sha256: Uint8Array): string {
  return `${formatLongAddress(address)}::${name} ${formatHex(sha256)}\n`;
}

/** The part of a seal's records digest that one account is, whether or not it has a record. */
export function recordLine(address: Address, record: StoredRecord | undefined): string {
  if (record === undefined) return `${formatLongAddress(address)}\n`;
  const { sequenceNumber, authenticationKey, resource } = record;
  const bytes = resource === null ? "json" : formatHex(resource);
  return `${formatLongAddress(address)} ${sequenceNumber} ${formatHex(authenticationKey)} ${bytes}\n`;
}

/** The record that stands at an account at a sealed version that covers it. */
export function recordAt(statements: HotStatements, address: bigint, version: bigint): StoredRecord | undefined {
  const row = statements.recordAt.get({ address, version });
  return row === undefined ? undefined : recordIn(row.slice(2) as unknown as RecordCells);
}

/** Prepares the counting of what a sealed snapshot holds, read back from the spans: all accounts it covers, in the order of addresses. */
export function prepareSnapshotDigest(database: Database, statements: HotStatements): (version: bigint) => SnapshotTotals {
  const covered = database
    .prepare<[{ version: bigint }], readonly [id: bigint, address: Address]>(
      "SELECT a.id, a.address FROM coverage c JOIN addresses a ON a.id = c.address_id " +
        `WHERE ${inSqlite(holds("c", ":version"))} ORDER BY length(a.address), a.address`,
    )
    .raw(true);
  return (version) => {
    const hash = createHash("sha256");
    const records = createHash("sha256");
    let accounts = 0;
    let modules = 0;
    for (const [id, address] of covered.iterate({ version })) {
      const digests = statements.digestsAt.all({ address: id, version });
      hash.update(digestLines(address, digests));
      records.update(recordLine(address, recordAt(statements, id, version)));
      accounts += 1;
      modules += digests.length;
    }
    return { accounts, modules, digest: hash.digest(), recordsDigest: records.digest() };
  };
}
