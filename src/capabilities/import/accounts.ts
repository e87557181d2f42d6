import { equalBytes, formatHex } from "../../core/base/bytes.ts";
import { chunks } from "../../core/base/lists.ts";
import type { ObservedModule } from "../../core/db/archive/content/observed-module.ts";
import { ABSENT } from "../../core/db/archive/nodes/sources.ts";
import { type RecordCells, recordIn, type SeenRecord, type StoredRecord, sameInJson } from "../../core/db/archive/snapshots/covering.ts";
import { NO_MODULES } from "../../core/db/archive/snapshots/snapshot-digest.ts";
import type { Visit } from "../../core/db/archive/snapshots/visits.ts";
import type { Integer, Session, Transaction } from "../../core/db/engine/engine.ts";
import { jsonEach } from "../../core/db/schema/sql/functions.ts";
import { includesVersion } from "../../core/db/schema/sql/predicates.ts";
import { sql } from "../../core/db/schema/sql/sql.ts";
import type { Address } from "../../core/move/address.ts";
import { contentsNotHeld } from "./bytecodes.ts";
import type { Compare } from "./contradictions.ts";
import { foreignAddress, foreignName, foreignRecord } from "./foreign-archive.ts";

/** An account as a snapshot shows it. `id` and `listing` number it and its modules there; no listing, an empty one, is null. */
export type ForeignAccount = {
  readonly id: Integer;
  readonly address: Address;
  readonly listing: Integer | null;
  readonly digest: Uint8Array;
  readonly record: SeenRecord;
};

type Shown = readonly [listing: Integer | null, digest: Uint8Array | null, isRead: 0 | 1, ...record: RecordCells];

const shown = sql`l.id, l.digest, CASE WHEN c.reads_record THEN 1 ELSE 0 END, r.sequence_number, r.authentication_key, r.resource`;
const covered = sql`JOIN _coverage c ON c.address_id = a.id AND ${includesVersion("c", ":version")}
  JOIN _listing_spans s ON s.address_id = a.id AND ${includesVersion("s", ":version")} LEFT JOIN _listings l ON l.id = s.listing_id
  LEFT JOIN _account_spans r ON c.reads_record AND r.address_id = a.id AND ${includesVersion("r", ":version")}`;
// Whether something of the account began after the snapshot before, or ended with it. Before the first snapshot everything did.
const isChanged = sql`(c.from_version > :previous OR s.from_version > :previous OR r.from_version > :previous
  OR (r.address_id IS NULL AND EXISTS (SELECT 1 FROM _account_spans q WHERE q.address_id = c.address_id AND ${includesVersion("q", ":previous")})))`;
const changed = sql<[id: Integer, Address, ...Shown]>`SELECT a.id, a.address, ${shown} FROM _addresses a ${covered}
  WHERE ${isChanged} ORDER BY length(a.address), a.address`;
const stored = sql<[place: number, ...Shown]>`SELECT j.key, ${shown} FROM ${jsonEach(":addresses::json", "j")}
  JOIN _addresses a ON a.address = j.value ${covered}`;
const modules = sql<[name: string, sha256: Uint8Array, id: Integer]>`SELECT m.name, b.sha256, b.id FROM _listing_modules m
  JOIN _bytecodes b ON b.id = m.bytecode_id WHERE m.listing_id = :listing ORDER BY m.name`;

/** Accounts whose modules are in memory at a time. */
const PAGE = 500;

/** The accounts of a snapshot in the order of addresses, in lists; with `previous` only those that differ from what that one shows. */
export async function* changedAccounts(session: Session, version: bigint, previous = -1n): AsyncGenerator<readonly ForeignAccount[]> {
  for await (const list of session.stream(changed, { version, previous }))
    for (const rows of chunks(list, PAGE))
      yield rows.map(([id, text, listing, digest, isRead, ...cells]): ForeignAccount => {
        const record = isRead === 1 ? foreignRecord(cells) : "unread";
        return { id, address: foreignAddress(text), listing, digest: digest ?? NO_MODULES, record };
      });
}

/** The modules of a listing, by the number of that in its own database. */
async function modulesOf(session: Session, listing: Integer | null) {
  const rows = listing === null ? [] : await session.all(modules, { listing });
  return rows.map(([name, sha256, id]) => ({ name, sha256, hex: formatHex(sha256), id }));
}

function visitOf({ address, record }: ForeignAccount, modules: Visit["modules"]): Visit {
  if (record === "unread") return { address, account: undefined, modules };
  return { address, account: record === undefined ? null : { ...record, sequenceNumber: BigInt(record.sequenceNumber) }, modules };
}

/** What foreign accounts show, as visits bring it: with the bytes of what is not stored here. */
export async function visitsOf(tx: Transaction, session: Session, accounts: readonly ForeignAccount[]): Promise<Visit[]> {
  const listings: Awaited<ReturnType<typeof modulesOf>>[] = [];
  for (const { listing } of accounts) listings.push(await modulesOf(session, listing));
  const contents = await contentsNotHeld(tx, session, new Map(listings.flat().map(({ hex, id }) => [hex, id])));
  const observed = ({ name, sha256, hex }: (typeof listings)[number][number]): ObservedModule => {
    const content = contents.get(hex);
    return { name: foreignName(name), sha256, ...(content && { content }) };
  };
  return accounts.map((account, i) => visitOf(account, (listings[i] ?? []).map(observed)));
}

/**
 * What another archive has more of a sealed snapshot: accounts, and visits of accounts with our modules and a record that we lack. What is
 * stored stays; where the two differ it is told.
 */
export async function compareAccounts(
  tx: Transaction,
  session: Session,
  version: bigint,
  found: readonly ForeignAccount[],
  compare: Compare,
) {
  const addresses = JSON.stringify(found.map(({ address }) => address));
  const rows = new Map((await tx.all(stored, { version, addresses })).map(([place, ...row]) => [place, row]));
  const records: Visit[] = [];
  for (const [place, account] of found.entries()) {
    const { address, listing, digest, record } = account;
    const row = rows.get(place);
    if (row === undefined) continue;
    const [own, ownDigest, isRead, ...cells] = row;
    if (!equalBytes(ownDigest ?? NO_MODULES, digest)) {
      const [ours, theirs] = [await modulesOf(tx, own), await modulesOf(session, listing)];
      const shaOf = (list: typeof ours, wanted: string) => list.find(({ name }) => name === wanted)?.hex ?? ABSENT;
      for (const name of new Set([...ours, ...theirs].map(({ name }) => name)))
        compare("module", `${address}::${name}`, shaOf(ours, name), shaOf(theirs, name));
    }
    const ownRecord = isRead === 1 ? recordIn(cells) : "unread";
    if (record === "unread" || (ownRecord !== "unread" && isFuller(ownRecord, record))) continue;
    if (ownRecord === "unread" || isFuller(record, ownRecord)) records.push(visitOf(account, await modulesOf(tx, own)));
    else compare("account", address, recordText(ownRecord), recordText(record));
  }
  return { accounts: found.filter((_, place) => !rows.has(place)), records };
}

/** Whether a record is the same as another that a node gave in JSON, and has all of it. */
function isFuller(record: StoredRecord | undefined, than: StoredRecord | undefined): boolean {
  return record !== undefined && than !== undefined && record.resource !== null && than.resource === null && sameInJson(record, than);
}

export function recordText(record: StoredRecord | undefined): string {
  if (record === undefined) return ABSENT;
  const resource = record.resource === null ? "" : ` resource 0x${formatHex(record.resource)}`;
  return `sequence_number ${record.sequenceNumber} authentication_key 0x${formatHex(record.authenticationKey)}${resource}`;
}
