import { equalBytes, formatHex } from "../../base/bytes.ts";
import type { Integer, Transaction } from "../../engine/engine.ts";
import { hexOf, jsonEach } from "../../schema/sql/functions.ts";
import { includesVersion } from "../../schema/sql/predicates.ts";
import { sql } from "../../schema/sql/sql.ts";
import { ABSENT } from "../nodes/sources.ts";
import { type RecordCells, recordIn, type SeenRecord, type StoredRecord, sameInJson, sameRecord } from "../snapshots/records.ts";
import type { RecordOfAccount } from "../snapshots/set-records.ts";
import type { Contradictions } from "./contradictions.ts";
import type { ForeignAccount } from "./foreign-accounts.ts";

type Row = readonly [place: number, account: Integer, listing: Integer, digest: Uint8Array, isRead: 0 | 1, ...record: RecordCells];

const stored = sql<Row>`SELECT j.key, a.id, l.id, l.digest, CASE WHEN c.reads_record THEN 1 ELSE 0 END, r.sequence_number, r.authentication_key, r.resource
  FROM ${jsonEach(":addresses::json", "j")} JOIN _addresses a ON a.address = j.value JOIN _coverage c ON c.address_id = a.id AND ${includesVersion("c", ":version")}
  JOIN _listing_spans s ON s.address_id = a.id AND ${includesVersion("s", ":version")} JOIN _listings l ON l.id = s.listing_id
  LEFT JOIN _account_spans r ON c.reads_record AND r.address_id = a.id AND ${includesVersion("r", ":version")}`;
const modules = sql<[string, string]>`SELECT m.name, ${hexOf("b.sha256")} FROM _listing_modules m
  JOIN _bytecodes b ON b.id = m.bytecode_id WHERE m.listing_id = :listing`;

/** What another archive has more of a snapshot that is sealed here: accounts, and records that were not read here, or only in JSON. */
export type Missing = { readonly accounts: readonly ForeignAccount[]; readonly records: readonly RecordOfAccount[] };

/**
 * Compares accounts with what a sealed snapshot has of them. What is stored stays; where the two differ it is taken down.
 * `before`: the version that was compared before this one.
 */
export async function compareAccounts(
  tx: Transaction,
  version: bigint,
  found: readonly ForeignAccount[],
  contradictions: Contradictions,
  before: bigint | undefined,
): Promise<Missing> {
  const addresses = JSON.stringify(found.map(({ address }) => address));
  const rows = new Map((await tx.all(stored, { version, addresses })).map(([place, ...row]) => [place, row]));
  const accounts: ForeignAccount[] = [];
  const records: RecordOfAccount[] = [];
  for (const [place, one] of found.entries()) {
    const row = rows.get(place);
    if (row === undefined) {
      accounts.push(one);
      continue;
    }
    const [account, listing, digest, isRead, ...cells] = row;
    if (!equalBytes(digest, one.listing.digest)) {
      const ours = new Map(await tx.all(modules, { listing }));
      const theirs = new Map(one.listing.modules.map(({ name, sha256 }) => [name, formatHex(sha256)]));
      for (const name of new Set([...ours.keys(), ...theirs.keys()])) {
        const [a = ABSENT, b = ABSENT] = [ours.get(name), theirs.get(name)];
        if (a !== b) contradictions.add(version, { kind: "module", subject: `${one.address}::${name}`, stored: a, found: b }, before);
      }
    }
    const own = isRead === 1 ? recordIn(cells) : "unread";
    if (one.record === "unread") continue;
    if (own === "unread" || isFuller(one.record, own)) records.push({ account, record: one.record });
    else if (!isSameRecord(own, one.record))
      contradictions.add(
        version,
        { kind: "account", subject: one.address, stored: recordText(own), found: recordText(one.record) },
        before,
      );
  }
  return { accounts, records };
}

/** Whether a record is the same as another that a node gave in JSON, and has all of it. */
function isFuller(record: StoredRecord | undefined, than: StoredRecord | undefined): boolean {
  return record !== undefined && than !== undefined && record.resource !== null && than.resource === null && sameInJson(record, than);
}

function isSameRecord(own: Exclude<SeenRecord, "unread">, found: Exclude<SeenRecord, "unread">): boolean {
  return own === undefined || found === undefined ? own === found : sameRecord(own, found) || isFuller(own, found);
}

export function recordText(record: StoredRecord | undefined): string {
  if (record === undefined) return ABSENT;
  const resource = record.resource === null ? "" : ` resource 0x${formatHex(record.resource)}`;
  return `sequence_number ${record.sequenceNumber} authentication_key 0x${formatHex(record.authenticationKey)}${resource}`;
}
