import { equalBytes, formatHex } from "../../core/base/bytes.ts";
import { printable } from "../../core/base/printable.ts";
import { ABSENT, type Finding } from "../../core/db/archive/nodes/sources.ts";
import {
  type RecordCells,
  recordIn,
  type SeenRecord,
  type StoredRecord,
  sameInJson,
  sameRecord,
} from "../../core/db/archive/snapshots/covering.ts";
import { NO_MODULES } from "../../core/db/archive/snapshots/snapshot-digest.ts";
import type { Integer, Transaction } from "../../core/db/engine/engine.ts";
import { StoreError } from "../../core/db/engine/errors.ts";
import { jsonEach } from "../../core/db/schema/sql/functions.ts";
import { includesVersion } from "../../core/db/schema/sql/predicates.ts";
import { sql } from "../../core/db/schema/sql/sql.ts";
import type { ForeignAccount, ForeignListing } from "./foreign-accounts.ts";

type Row = readonly [place: number, listing: Integer | null, digest: Uint8Array | null, isRead: 0 | 1, ...record: RecordCells];

const stored = sql<Row>`SELECT j.key, l.id, l.digest, CASE WHEN c.reads_record THEN 1 ELSE 0 END, r.sequence_number, r.authentication_key, r.resource
  FROM ${jsonEach(":addresses::json", "j")} JOIN _addresses a ON a.address = j.value JOIN _coverage c ON c.address_id = a.id AND ${includesVersion("c", ":version")}
  JOIN _listing_spans s ON s.address_id = a.id AND ${includesVersion("s", ":version")} LEFT JOIN _listings l ON l.id = s.listing_id
  LEFT JOIN _account_spans r ON c.reads_record AND r.address_id = a.id AND ${includesVersion("r", ":version")}`;
const modules = sql<[name: string, sha256: Uint8Array, id: Integer]>`SELECT m.name, b.sha256, b.id FROM _listing_modules m
  JOIN _bytecodes b ON b.id = m.bytecode_id WHERE m.listing_id = :listing`;

/** What another archive has more of a sealed snapshot: accounts, and accounts with our modules and a record that we lack. */
export type Missing = { readonly accounts: readonly ForeignAccount[]; readonly records: readonly ForeignAccount[] };

/** What is stored stays; where the two differ it is a finding. `before`: the version that was compared before this one. */
export async function compareAccounts(
  tx: Transaction,
  version: bigint,
  found: readonly ForeignAccount[],
  contradictions: Contradictions,
  before: bigint | undefined,
): Promise<Missing> {
  const addresses = JSON.stringify(found.map(({ address }) => address));
  const rows = new Map((await tx.all(stored, { version, addresses })).map(([place, ...row]) => [place, row]));
  const missing = { accounts: [] as ForeignAccount[], records: [] as ForeignAccount[] };
  for (const [place, one] of found.entries()) {
    const row = rows.get(place);
    if (row === undefined) {
      missing.accounts.push(one);
      continue;
    }
    const [id, stored, isRead, ...cells] = row;
    const digest = stored ?? NO_MODULES;
    const isEqual = equalBytes(digest, one.listing.digest);
    const listing = isEqual ? one.listing : await listingOf(tx, id, digest);
    if (!isEqual) {
      const [ours, theirs] = [listing, one.listing].map(({ modules }) => new Map(modules.map((m) => [m.name, formatHex(m.sha256)])));
      for (const name of new Set([...(ours?.keys() ?? []), ...(theirs?.keys() ?? [])])) {
        const [a = ABSENT, b = ABSENT] = [ours?.get(name), theirs?.get(name)];
        if (a !== b) contradictions.add(version, { kind: "module", subject: `${one.address}::${name}`, stored: a, found: b }, before);
      }
    }
    if (one.record === "unread") continue;
    const own = isRead === 1 ? recordIn(cells) : "unread";
    if (own === "unread" || isFuller(one.record, own)) missing.records.push({ ...one, listing });
    else if (!isSameRecord(own, one.record)) {
      const texts = { stored: recordText(own), found: recordText(one.record) };
      contradictions.add(version, { kind: "account", subject: one.address, ...texts }, before);
    }
  }
  return missing;
}

async function listingOf(tx: Transaction, listing: Integer | null, digest: Uint8Array): Promise<ForeignListing> {
  return { digest, modules: (await tx.all(modules, { listing })).map(([name, sha256, id]) => ({ id, name, sha256 })) };
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

/** This number of contradictions means that the archive is of another ledger with the same chain id. */
const FINDINGS_MAX = 10_000;

/** What an archive contradicts, gathered version by version: what differs in the same way at neighbours is one finding. */
export class Contradictions {
  readonly #name: string;
  readonly #findings = new Map<string, Finding[]>();
  #count = 0;

  constructor(name: string) {
    this.#name = name;
  }

  get all(): readonly Finding[] {
    return [...this.#findings.values()].flat();
  }

  /** `before`: the version that was compared before this one. @throws StoreError `MOVEDEX_STORE_CHAIN` for too many */
  add(version: bigint, facts: Omit<Finding, "origin" | "fromVersion" | "toVersion">, before?: bigint): void {
    const key = JSON.stringify(facts);
    const findings = this.#findings.get(key) ?? [];
    const last = findings.at(-1);
    if (last !== undefined && last.toVersion === before) findings[findings.length - 1] = { ...last, toVersion: version };
    else {
      if (++this.#count > FINDINGS_MAX) throw this.#tooMany();
      findings.push({ ...facts, fromVersion: version, toVersion: version, origin: this.#name });
    }
    this.#findings.set(key, findings);
  }

  #tooMany(): StoreError {
    const text =
      `the archive \`${printable(this.#name)}\` contradicts this database in more than ${FINDINGS_MAX} places: ` +
      "it comes from another ledger with the same chain id. Nothing was imported.";
    return new StoreError("MOVEDEX_STORE_CHAIN", text, { facts: { name: this.#name } });
  }
}
