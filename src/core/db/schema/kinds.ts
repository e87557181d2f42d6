/** The closed list of column kinds, one for each column of every table and view: how each dialect keeps it, and what people read of it. */
export const kinds = {
  text: { sqlite: "text", postgresql: "text", type: "text", meaning: "text" },
  int: { sqlite: "integer", postgresql: "bigint", type: "integer", meaning: "whole number below 2^53" },
  version: { sqlite: "integer", postgresql: "bigint", type: "integer", meaning: "ledger version, below 2^63" },
  u64: { sqlite: "text", postgresql: "numeric(20,0)", type: "u64", meaning: "u64 as canonical decimal text" },
  bytes: { sqlite: "blob", postgresql: "bytea", type: "bytes", meaning: "bytes" },
  json: { sqlite: "text", postgresql: "json", type: "text", meaning: "JSON text" },
  bool: { sqlite: "integer", postgresql: "boolean", type: "boolean", meaning: "0 or 1" },
  time: { sqlite: "integer", postgresql: "timestamptz", type: "time", meaning: "milliseconds since 1970, UTC" },
} as const;

export type Kind = keyof typeof kinds;

/**
 * The type of a column of a view or an export. `u64`: exact; in a view of SQLite, whose integers end at 2^63 - 1, an integer up to there
 * and its decimal text above. `boolean`: in SQLite 1 or 0. `time`: to the millisecond, in a view of SQLite as text in UTC.
 */
export type ColumnType = (typeof kinds)[Kind]["type"];

/** The type of a PostgreSQL column: as its kind says, texts in the order of their bytes whatever the database's own order is. */
export function postgresqlType(kind: Kind): string {
  return kind === "text" ? 'text COLLATE "C"' : kinds[kind].postgresql;
}
