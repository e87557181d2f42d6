import type { Kind } from "./kinds.ts";

/** A column of a table. */
export type ColumnData = {
  readonly kind: Kind;
  readonly meaning: string;
  readonly nullable?: true;
  /** The table whose single-column key this column holds. */
  readonly references?: string;
  /** Bytes that are compressed already: PostgreSQL is told not to try again. */
  readonly isCompressed?: true;
  /** How many different values PostgreSQL is to expect for each row (`n_distinct`), where a sample of the rows misleads it. */
  readonly distinctPerRow?: number;
  /** Not in the row's checksum: written later without reading the row, and derivable from other rows or of no importance. */
  readonly isUnchecked?: true;
  /** Part of the row's checksum only in rows written since the column exists; `verify` accepts older rows, which have null there. */
  readonly isCheckedLater?: true;
};

function ofKind<K extends Kind>(kind: K) {
  return (meaning: string) => ({ kind, meaning }) as const;
}

export const text = ofKind("text");
export const int = ofKind("int");
export const version = ofKind("version");
export const u64 = ofKind("u64");
export const bytes = ofKind("bytes");
export const json = ofKind("json");
export const bool = ofKind("bool");
export const time = ofKind("time");

/** A column that is true or false; `meaning` goes on after "whether it". */
export const flag = (meaning: string) => bool(`whether it ${meaning}`);

/** The number of a row of another table. */
export function reference(table: `_${string}`, meaning: string) {
  return { ...int(meaning), references: table } as const;
}

export function orNull<C extends ColumnData>(column: C) {
  return { ...column, nullable: true } as const;
}

export function checkedLater<C extends ColumnData>(column: C) {
  return { ...column, isCheckedLater: true } as const;
}

/** The column of tables that no seal covers and no node can give again. Written with every change of the row; `verify` computes it anew. */
export const checksum = orNull(int("checksum of the row, which verify computes again"));
