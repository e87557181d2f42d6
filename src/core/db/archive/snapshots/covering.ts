import { equalBytes } from "../../../base/bytes.ts";
import { includesVersion } from "../../schema/sql/predicates.ts";
import { type Expression, named, type Sql, sql } from "../../schema/sql/sql.ts";

/** An account record as it is stored, its u64 as text. */
export type StoredRecord = {
  readonly sequenceNumber: string;
  readonly authenticationKey: Uint8Array;
  /** The whole record in BCS, null when the node was read in JSON. */
  readonly resource: Uint8Array | null;
};

/** An account's record as a snapshot has it: undefined if the node said that there is none, `unread` if only the modules were read. */
export type SeenRecord = StoredRecord | undefined | "unread";

export type RecordCells = readonly [sequenceNumber: string | null, authenticationKey: Uint8Array | null, resource: Uint8Array | null];

export function recordIn([sequenceNumber, authenticationKey, resource]: RecordCells): StoredRecord | undefined {
  return sequenceNumber === null || authenticationKey === null ? undefined : { sequenceNumber, authenticationKey, resource };
}

export function sameObservation(a: SeenRecord, b: SeenRecord): boolean {
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

/** Whether a stretch `span` of an account holds at a version: a stretch says nothing of snapshots that did not cover its account. */
export function includesCovered(span: string, version: Expression): Sql {
  return sql`${includesVersion(span, version)} AND EXISTS (SELECT 1 FROM _coverage c WHERE c.address_id = ${named(span)}.address_id AND ${includesVersion("c", version)})`;
}
