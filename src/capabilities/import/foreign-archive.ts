import { closing } from "../../core/base/async.ts";
import { equalBytes, formatHex } from "../../core/base/bytes.ts";
import { parseU64 } from "../../core/base/numbers.ts";
import { printable } from "../../core/base/printable.ts";
import { sha256Hex } from "../../core/base/sha256.ts";
import { readChain } from "../../core/db/archive/chain.ts";
import { STORABLE_NAME } from "../../core/db/archive/content/observed-module.ts";
import { type RecordCells, recordIn, type StoredRecord } from "../../core/db/archive/snapshots/covering.ts";
import { databaseAt } from "../../core/db/engine/database-at.ts";
import type { Integer, Session } from "../../core/db/engine/engine.ts";
import { StoreError } from "../../core/db/engine/errors.ts";
import { bytes, type Field, orNull, rowOf, version, whole } from "../../core/db/engine/row-shape.ts";
import { isAsWritten } from "../../core/db/schema/sql/checksum.ts";
import { sealed } from "../../core/db/schema/sql/predicates.ts";
import { named, sql } from "../../core/db/schema/sql/sql.ts";
import { workTables } from "../../core/db/schema/tables/work.ts";
import { type Address, parseAddress } from "../../core/move/address.ts";

// A foreign database comes from anybody. What seals cover, they vouch for; what else of a cell can do harm is looked at here.

/** An import that is refused, with why: a sentence without its full stop. */
export function refused(why: string): StoreError {
  return new StoreError("MOVEDEX_STORE_ARCHIVE", `the archive cannot be imported: ${printable(why, 1000)}. Nothing was imported.`);
}

/** The last moment that JavaScript's dates have. */
const TIME_MAX = 8_640_000_000_000_000;

/** A moment in milliseconds since 1970. */
export function moment(select: string): Field<number> {
  const { read, ...rest } = whole(select);
  const inTime = (ms: number): number => {
    if (ms >= 0 && ms <= TIME_MAX) return ms;
    throw refused(`it has ${ms} where a moment has to be`);
  };
  return { ...rest, read: (cell) => inTime(read(cell)) };
}

export function foreignAddress(text: string): Address {
  if (parseAddress(text) === text) return text as Address;
  throw refused(`\`${text}\` is no address`);
}

export function foreignName(text: string): string {
  if (STORABLE_NAME.test(text)) return text;
  throw refused(`\`${text}\` is not a module's name`);
}

/** The record in the cells of a row; undefined for none. */
export function foreignRecord(cells: RecordCells): StoredRecord | undefined {
  const record = recordIn(cells);
  if (record === undefined || (parseU64(`${record.sequenceNumber}`) !== undefined && record.authenticationKey.length === 32)) return record;
  throw refused("a record of it has no u64 for its sequence number, or no 32 bytes for its key");
}

/** A sealed snapshot's row: what a node said when it was pinned, and what its seal says of its content. */
export type SnapshotFacts = ReturnType<typeof snapshot.read>;

const snapshot = rowOf({
  version: version("p.ledger_version"),
  createdAt: moment("p.created_at"),
  sealedAt: moment("p.sealed_at"),
  headVersion: version("p.head_version"),
  oldestVersion: version("p.oldest_version"),
  headTimestampUsec: version("p.head_timestamp_usec"),
  headEpoch: orNull(version("p.head_epoch")),
  headBlockHeight: orNull(version("p.head_block_height")),
  accounts: whole("p.accounts"),
  // Snapshots that an older movedex sealed read every record, and have neither this count nor a digest over records.
  records: orNull(whole("p.records")),
  modules: whole("p.modules"),
  gaps: whole("p.gaps"),
  changedModules: orNull(whole("p.changed_modules")),
  passedOver: orNull(whole("p.passed_over")),
  digest: bytes("p.digest"),
  recordsDigest: orNull(bytes("p.records_digest")),
});
const sealedSnapshots = sql`SELECT ${snapshot.columns} FROM _all_snapshots p WHERE ${sealed("p")} ORDER BY p.ledger_version`;
const sealedSnapshot = sql`SELECT ${snapshot.columns} FROM _all_snapshots p WHERE p.ledger_version = :version AND ${sealed("p")}`;

// What a seal does not cover: what a node said of a snapshot, and its gaps.
const damaged = [workTables.all_snapshots, workTables.all_gaps].map(
  (table) => sql<[Integer]>`SELECT ledger_version FROM ${named(table.name)} WHERE NOT ${isAsWritten(table)}`,
);

/** Refuses snapshots that are said to be otherwise than was written. @throws StoreError `MOVEDEX_STORE_ARCHIVE` */
export async function requireAsWritten(session: Session, snapshots: readonly SnapshotFacts[]): Promise<void> {
  const rows = await Promise.all(damaged.map((question) => session.all(question)));
  const versions = new Set(rows.flat().map(([version]) => BigInt(version)));
  const found = snapshots.find(({ version }) => versions.has(version));
  if (found !== undefined) throw notAsSealed(found);
}

/** The sealed snapshots of a database, oldest first; and one of them, undefined where none is sealed. */
export const readSnapshots = (session: Session): Promise<SnapshotFacts[]> => snapshot.all(session, sealedSnapshots);
export const readSnapshot = (session: Session, version: bigint) => snapshot.first(session, sealedSnapshot, { version });

/** Another database, open at one state of it. */
export type ForeignArchive = {
  readonly path: string;
  readonly chainId: number | null;
  /** Sealed ones, oldest first. */
  readonly snapshots: readonly SnapshotFacts[];
  readonly session: Session;
};

/** Opens a database that others made, to read it. Its tables must be as movedex makes them. @throws StoreError */
export async function openForeignArchive(path: string): Promise<ForeignArchive & AsyncDisposable> {
  const { session, schema, close } = await databaseAt(path).openToVerify();
  try {
    const [first] = schema();
    if (first !== undefined) throw refused(`\`${first.table}\`: ${first.problem}`);
    const snapshots = await readSnapshots(session);
    if (snapshots.some(({ version }) => version < 0n)) throw refused("it has a snapshot of a negative ledger version");
    return closing({ path, chainId: await readChain(session), snapshots, session, close });
  } catch (error) {
    await close();
    throw error;
  }
}

/** Names what snapshots hold: SHA-256 in hex over their digests. */
export function digestOf(snapshots: readonly SnapshotFacts[]): string {
  return sha256Hex(
    snapshots.map(({ version, accounts, gaps, digest }) => `${version} ${accounts} ${gaps} ${formatHex(digest)}\n`).join(""),
  );
}

/** What a snapshot holds, counted: of one that an older movedex sealed not all is known. */
type Totals = Pick<SnapshotFacts, "accounts" | "records" | "modules" | "digest" | "recordsDigest">;

/** Refuses content that is not what its seal says. @throws StoreError `MOVEDEX_STORE_ARCHIVE` */
export function requireSealed(sealed: SnapshotFacts, found: Totals | undefined): void {
  if (
    found !== undefined &&
    equalBytes(sealed.digest, found.digest) &&
    (sealed.recordsDigest === null || (found.recordsDigest !== null && equalBytes(sealed.recordsDigest, found.recordsDigest))) &&
    sealed.accounts === found.accounts &&
    (sealed.records ?? sealed.accounts) === (found.records ?? found.accounts) &&
    sealed.modules === found.modules
  )
    return;
  throw notAsSealed(sealed);
}

function notAsSealed({ version }: SnapshotFacts): StoreError {
  const what = `its snapshot of ledger version ${version} does not hold what was sealed: it was edited, or is damaged`;
  return refused(`${what}. --except ${version} leaves it out`);
}
