/** `u64`: exact; in SQLite, whose integers end at 2^63 - 1, an integer up to there and its decimal text above. */
export type ViewColumnType = "text" | "integer" | "u64";

/** One column of a view. */
export type ViewColumnData = { readonly type: ViewColumnType; readonly meaning: string };

/**
 * One view as data: the contract with people who write SQL. Names and columns stay; the statement behind them may change.
 * Views are made again when a database is opened by a movedex whose views differ, so they are no part of the migrations.
 */
export type ViewData = {
  readonly name: string;
  readonly meaning: string;
  readonly columns: Readonly<Record<string, ViewColumnData>>;
  /** The SELECT behind the view in SQLite's words; its columns come in the order of `columns`. */
  readonly sqlite: string;
};

/** Columns that begin every view of what stood at a snapshot. */
export const snapshotColumns = {
  chain_id: { type: "integer", meaning: "the chain" },
  ledger_version: { type: "integer", meaning: "the sealed snapshot" },
  address: { type: "text", meaning: "the account as the node prints it (0x1)" },
  address_long: { type: "text", meaning: "the account as 0x and 64 digits, for joins with other data" },
} as const satisfies ViewData["columns"];

/** The condition that a pin is a sealed snapshot. */
export const SEALED = "p.status IN ('sealed', 'sealed_with_gaps')";

/** The column chain_id. */
export const chain = "CAST((SELECT chain_id FROM archive) AS INTEGER) AS chain_id";

/** The expressions behind `snapshotColumns`, over the aliases `p` (pins) and `a` (addresses). */
export const snapshotValues = `${chain}, p.ledger_version, a.address, ${addressLong("a.address")} AS address_long`;

/** An expression whose type tools can see: views pass on the types of plain columns only. */
export function typed(expression: string, type: "text" | "integer"): string {
  return `CAST(${expression} AS ${type.toUpperCase()})`;
}

/** Bytes as hex digits, with or without something before them. */
export function hexText(bytes: string, prefix = ""): string {
  return typed(prefix === "" ? `lower(hex(${bytes}))` : `'${prefix}' || lower(hex(${bytes}))`, "text");
}

/** A printed address as `0x` and 64 digits. */
export function addressLong(address: string): string {
  return `CAST('0x' || substr('${"0".repeat(64)}' || substr(${address}, 3), -64) AS TEXT)`;
}

/** Joins that turn a row `s` of a span table into one row for each sealed snapshot that it stands at. */
export const standing =
  "JOIN pins p ON p.ledger_version >= s.from_version AND (s.to_version IS NULL OR p.ledger_version <= s.to_version) " +
  `AND ${SEALED} ` +
  "JOIN coverage c ON c.address_id = s.address_id AND c.from_version <= p.ledger_version " +
  "AND (c.to_version IS NULL OR c.to_version >= p.ledger_version) " +
  "JOIN addresses a ON a.id = s.address_id";

/** Milliseconds since 1970 as text (2026-01-31T12:00:00.000Z). */
export function timeText(milliseconds: string): string {
  return `CAST(strftime('%Y-%m-%dT%H:%M:%fZ', ${milliseconds} / 1000.0, 'unixepoch') AS TEXT)`;
}

/** A u64 kept as text: an integer where SQLite has one that large, else the text. */
export function u64Value(text: string): string {
  return `CASE WHEN length(${text}) < 19 OR (length(${text}) = 19 AND ${text} <= '9223372036854775807') THEN CAST(${text} AS INTEGER) ELSE ${text} END`;
}
