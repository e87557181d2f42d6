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

/** Of a column of a view: bytes are shown as hex, and JSON as text. */
export type ViewKind = Exclude<Kind, "bytes" | "json">;

/**
 * The type of a column of a view or an export. `u64`: exact; in a view of SQLite, whose integers end at 2^63 - 1, an integer up to there
 * and its decimal text above. `boolean`: in SQLite 1 or 0. `time`: to the millisecond, in a view of SQLite as text in UTC.
 */
export type ColumnType = (typeof kinds)[ViewKind]["type"];

/** The type of a PostgreSQL column: as its kind says, texts in the order of their bytes whatever the database's own order is. */
export function postgresqlType(kind: Kind): string {
  return kind === "text" ? 'text COLLATE "C"' : kinds[kind].postgresql;
}

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
  /** What counts in its stead in the checksum, by a name: a text of the row's lists, which are rows of other tables. */
  readonly countsAs?: { readonly name: string; readonly text: { readonly in: (dialect: "sqlite" | "postgresql") => string } };
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

export const flag = (meaning: string) => bool(`whether it ${meaning}`);

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

export const ofAccount = reference("_addresses", "the account");
export const ofSnapshot = { ...version("the snapshot's ledger version"), references: "_all_snapshots" } as const;
export const id = int("number of the row inside this database");
export const ofModule = reference("_modules", "the module, by the name in its bytes");
export const otherModule = reference("_modules", "the other module");
export const ofAbi = reference("_abis", "the ABI");
export const ofFunction = reference("_functions", "the function");
export const ofStruct = reference("_structs", "the struct");
export const type = reference("_types", "the type");
/** The type of one thing. Most types are rare: a sample of 30,000 rows shows 13,000 where 3,200,000 have 322,000. */
export const typeOf = { ...type, distinctPerRow: 0.1 } as const;
export const position = int("position in the list, from 0");
/** What tells content from other content of its module. */
export const digest = (of: string) => bytes(`first 16 bytes of a SHA-256 over ${of}: equal content is one row`);

const abilitiesThat = (verb: "has" | "requires") => ({
  has_copy: flag(`${verb} the ability copy`),
  has_drop: flag(`${verb} the ability drop`),
  has_store: flag(`${verb} the ability store`),
  has_key: flag(`${verb} the ability key`),
});
export const abilities = abilitiesThat("has");
export const constraints = abilitiesThat("requires");

export const attributes = (item: string, of: ColumnData) => ({
  columns: {
    [item]: of,
    position,
    kind: int("kind by the module's metadata: 0 and 1 view, 2 resource group, 3 resource group member, 4 event, 5 randomness"),
  },
  key: [item, "position"],
});

export const attributeArgs = (item: string, of: ColumnData, parent: string) => ({
  columns: {
    [item]: of,
    attribute: int("position of the attribute in its list, from 0"),
    position,
    value: text("the argument"),
  },
  key: [item, "attribute", "position"],
  references: [{ columns: [item, "attribute"], parent }],
});
