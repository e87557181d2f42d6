import type { Integer } from "../engine/engine.ts";

/** Number of a row inside this database. */
export type RowId = Integer;

/** An account's record as it was observed. */
export type ServedRecord = {
  readonly sequenceNumber: string;
  readonly authenticationKey: Uint8Array;
  /** The whole record in BCS, null when the node was read in JSON. */
  readonly resource: Uint8Array | null;
};

/** A module of a listing. */
export type ListedModule = { readonly name: string; readonly bytecode: RowId };
