import { createHash } from "node:crypto";
import type { Session } from "../../engine/engine.ts";
import type { Address } from "../../move/address.ts";
import { holds } from "../../schema/sql/predicates.ts";
import { sql } from "../../schema/sql/sql.ts";
import { type RecordCells, recordIn } from "./records.ts";
import { digestLine, recordLine, type SnapshotTotals } from "./snapshot-digest.ts";

const covered = sql`FROM _coverage c JOIN _addresses a ON a.id = c.address_id`;
const inOrder = sql`length(a.address), a.address`;
const modules = sql`SELECT a.address, m.name, b.sha256 ${covered} JOIN _listing_spans s ON s.address_id = c.address_id AND ${holds("s", ":version")}
  JOIN _listing_modules m ON m.listing_id = s.listing_id JOIN _bytecodes b ON b.id = m.bytecode_id WHERE ${holds("c", ":version")} ORDER BY ${inOrder}, m.name`;
const records = sql`SELECT a.address, CASE WHEN k.address_id IS NULL THEN 0 ELSE 1 END, r.sequence_number, r.authentication_key, r.resource ${covered}
  LEFT JOIN _record_coverage k ON k.address_id = c.address_id AND ${holds("k", ":version")}
  LEFT JOIN _account_spans r ON r.address_id = c.address_id AND ${holds("r", ":version")} WHERE ${holds("c", ":version")} ORDER BY ${inOrder}`;

/** Counts what a sealed snapshot holds, and makes its digests, from the spans: all accounts that it covers, in the order of addresses. */
export async function countSnapshot(session: Session, version: bigint): Promise<SnapshotTotals> {
  const hash = createHash("sha256");
  const recordsHash = createHash("sha256");
  let modulesCount = 0;
  let accounts = 0;
  let recordsCount = 0;
  for await (const rows of session.stream<[Address, string, Uint8Array]>(modules, { version })) {
    hash.update(rows.map(([address, name, sha256]) => digestLine(address, name, sha256)).join(""));
    modulesCount += rows.length;
  }
  for await (const rows of session.stream<[Address, isRead: 0 | 1, ...RecordCells]>(records, { version })) {
    recordsHash.update(rows.map(([address, isRead, ...cells]) => recordLine(address, isRead === 1 ? recordIn(cells) : "unread")).join(""));
    recordsCount += rows.reduce((sum, [, isRead]) => sum + isRead, 0);
    accounts += rows.length;
  }
  return { accounts, records: recordsCount, modules: modulesCount, digest: hash.digest(), recordsDigest: recordsHash.digest() };
}
