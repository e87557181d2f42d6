import { equalBytes } from "../../../base/bytes.ts";
import type { Integer, Session } from "../../engine/engine.ts";
import { coverage, coveredAfter, coveredBefore, includesVersion, moduleSpans, recordCoverage } from "../../schema/sql/predicates.ts";
import { type Expression, named, type Sql, sql } from "../../schema/sql/sql.ts";

/** An account record as it is stored, its u64 as text. */
export type StoredRecord = {
  readonly sequenceNumber: string;
  readonly authenticationKey: Uint8Array;
  /** The whole record in BCS, null when the node was read in JSON. */
  readonly resource: Uint8Array | null;
};

/** An account's record as a snapshot has it: none where the node said so, and nothing known where only the modules were read. */
export type SeenRecord = StoredRecord | undefined | "unread";

export type RecordCells = readonly [sequenceNumber: string | null, authenticationKey: Uint8Array | null, resource: Uint8Array | null];

export function recordIn([sequenceNumber, authenticationKey, resource]: RecordCells): StoredRecord | undefined {
  return sequenceNumber === null || authenticationKey === null ? undefined : { sequenceNumber, authenticationKey, resource };
}

export function sameSight(a: SeenRecord, b: SeenRecord): boolean {
  return typeof a === "object" && typeof b === "object" ? sameRecord(a, b) : a === b;
}

export function sameRecord(a: StoredRecord, b: StoredRecord): boolean {
  return sameInJson(a, b) && sameResource(a.resource, b.resource);
}

/** Whether two account records have the same fields of those that a node gives in JSON. */
export function sameInJson(a: StoredRecord, b: StoredRecord): boolean {
  return a.sequenceNumber === b.sequenceNumber && equalBytes(a.authenticationKey, b.authenticationKey);
}

function sameResource(a: Uint8Array | null, b: Uint8Array | null): boolean {
  return a === null || b === null ? a === b : equalBytes(a, b);
}

/** The sealed snapshots on both sides of a version that cover an account; undefined where there is none. */
export type Neighbours = { readonly previous: bigint | undefined; readonly next: bigint | undefined };

const [account, version] = [sql`:account`, sql`:version`];
/** What of an account is asked for: nights may leave the record unread and read the modules alone. */
export type AccountPart = keyof typeof neighbours;

type At = { readonly account: Integer; readonly version: bigint };
const neighboursIn = (of: Sql) =>
  sql<[Integer | null, Integer | null], At>`SELECT ${coveredBefore(account, version, of)}, ${coveredAfter(account, version, of)}`;
const neighbours = { modules: neighboursIn(coverage), record: neighboursIn(recordCoverage) };
const record = sql<RecordCells, At>`SELECT s.sequence_number, s.authentication_key, s.resource FROM _account_spans s
  WHERE s.address_id = :account AND ${includesVersion("s", ":version")}`;
const modules = sql<[name: string, bytecode: Integer], At>`SELECT s.name, s.bytecode_id FROM ${moduleSpans} s
  WHERE s.address_id = :account AND ${includesVersion("s", ":version")}`;

/** Whether a stretch `span` of an account holds at a version: a stretch says nothing of snapshots that did not cover its account. */
export function includesCovered(span: string, version: Expression): Sql {
  return sql`${includesVersion(span, version)} AND EXISTS (SELECT 1 FROM _coverage c WHERE c.address_id = ${named(span)}.address_id AND ${includesVersion("c", version)})`;
}

/** The nearest sealed snapshots before and after a version that cover an account, or have its record. */
export async function neighboursOf(session: Session, address: Integer, at: bigint, part: AccountPart = "modules"): Promise<Neighbours> {
  const [previous, next] = (await session.first(neighbours[part], {
    account: address,
    version: at,
  })) ?? [null, null];
  return { previous: previous === null ? undefined : BigInt(previous), next: next === null ? undefined : BigInt(next) };
}

/** An account's record at a sealed version; undefined when the node said that there is none. */
export async function recordAt(session: Session, address: Integer, at: bigint): Promise<StoredRecord | undefined> {
  const cells = await session.first(record, { account: address, version: at });
  return cells && recordIn(cells);
}

/** The names and bytecode rows of an account's modules at a sealed version, in no order that matters. */
export function modulesAt(session: Session, address: Integer, at: bigint): Promise<[name: string, bytecode: Integer][]> {
  return session.all(modules, { account: address, version: at });
}
