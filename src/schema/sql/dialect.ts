import type { Kind } from "../kinds.ts";

export type CheckedColumn = { readonly name: string; readonly text: string; readonly kind: Kind };

/** A column that holds the number of another table's row. */
export type Reference = { readonly name: string; readonly table: string; readonly column: string; readonly parent: string };

/** What engines say differently: the whole difference in statements and views. Arguments and results are texts of SQL. */
export type Dialect = {
  readonly engine: "sqlite" | "postgresql";
  readonly each: (json: string, alias: string) => string;
  readonly item: (json: string, index: string) => string;
  readonly jsonList: (value: string, from: string, order: string) => string;
  readonly hexOf: (bytes: string) => string;
  readonly moment: (time: string) => string;
  readonly asMoment: (moment: string) => string;
  readonly msOfTime: (time: string) => string;
  readonly timeOfMs: (ms: string) => string;
  readonly u64: (value: string) => string;
  readonly u64Of: (text: string) => string;
  readonly bytesOf: (hex: string) => string;
  readonly zeroPadded: (digits: string, count: number) => string;
  /** First 48 bits of the SHA-256 over `<name>=<text>` and U+001F for each non-null column, as a number; equal on all engines. */
  readonly checksum: (columns: readonly CheckedColumn[]) => string;
  readonly now: string;
  readonly later: (time: string, milliseconds: string) => string;
  readonly forUpdate: string;
  readonly forShare: string;
  readonly forKeyShare: string;
  readonly skipLocked: string;
  readonly countRows: (table: string) => string;
  readonly lockToWrite: (table: string) => string;
  /** Connection settings for bulk writes, and the normal settings. Used outside of a transaction. */
  readonly bulkSettings: { readonly begin: readonly string[]; readonly end: readonly string[] };
  readonly addReference: (reference: Reference) => string;
  readonly dropReference: (reference: Reference) => string;
  readonly asText: (value: string) => string;
  readonly flag: (condition: string) => string;
  readonly databaseBytes: string;
};
