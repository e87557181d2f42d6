import { equalBytes } from "../../base/bytes.ts";

/** An account record as it is stored. */
export type StoredRecord = {
  readonly sequenceNumber: string;
  readonly authenticationKey: Uint8Array;
  readonly resource: Uint8Array | null;
};

/** An account's record as a snapshot has it: none where the node said so, and nothing known where only the modules were read. */
export type SeenRecord = StoredRecord | undefined | "unread";

/** The columns of a record, all null where there is none. */
export type RecordCells = readonly [sequenceNumber: string | null, authenticationKey: Uint8Array | null, resource: Uint8Array | null];

/** The record that columns hold. */
export function recordIn([sequenceNumber, authenticationKey, resource]: RecordCells): StoredRecord | undefined {
  return sequenceNumber === null || authenticationKey === null ? undefined : { sequenceNumber, authenticationKey, resource };
}

/** Whether two sights of an account's record are the same. */
export function sameSight(a: SeenRecord, b: SeenRecord): boolean {
  return typeof a === "object" && typeof b === "object" ? sameRecord(a, b) : a === b;
}

/** Whether two account records are the same. */
export function sameRecord(a: StoredRecord, b: StoredRecord): boolean {
  return (
    a.sequenceNumber === b.sequenceNumber && equalBytes(a.authenticationKey, b.authenticationKey) && sameResource(a.resource, b.resource)
  );
}

function sameResource(a: Uint8Array | null, b: Uint8Array | null): boolean {
  return a === null || b === null ? a === b : equalBytes(a, b);
}
