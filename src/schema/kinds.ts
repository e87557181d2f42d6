/** How a column kind is kept by each dialect, and what it means to a reader of the schema. */
export type KindData = {
  readonly sqlite: "text" | "integer" | "blob";
  readonly postgresql: "text" | "bigint" | "numeric(20,0)" | "bytea" | "json" | "boolean" | "timestamptz";
  readonly meaning: string;
};

/** The closed list of column kinds. Every column of every table is one of these; each dialect says how it keeps them. */
export const kinds = {
  text: { sqlite: "text", postgresql: "text", meaning: "text" },
  int: { sqlite: "integer", postgresql: "bigint", meaning: "whole number below 2^53" },
  version: { sqlite: "integer", postgresql: "bigint", meaning: "ledger version, below 2^63" },
  u64: { sqlite: "text", postgresql: "numeric(20,0)", meaning: "u64 as canonical decimal text" },
  bytes: { sqlite: "blob", postgresql: "bytea", meaning: "bytes" },
  json: { sqlite: "text", postgresql: "json", meaning: "JSON text" },
  bool: { sqlite: "integer", postgresql: "boolean", meaning: "0 or 1" },
  time: { sqlite: "integer", postgresql: "timestamptz", meaning: "milliseconds since 1970, UTC" },
} as const satisfies Record<string, KindData>;

/** The type of a PostgreSQL column: as its kind says, texts in the order of their bytes whatever the database's own order is. */
export function postgresqlType(kind: Kind): string {
  return kind === "text" ? 'text COLLATE "C"' : kinds[kind].postgresql;
}

/** The name of a column kind. */
export type Kind = keyof typeof kinds;
