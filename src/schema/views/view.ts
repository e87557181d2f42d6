import { asMoment, asText, hexOf, moment, zeroPadded } from "../sql/functions.ts";
import { keptLedgerTimes } from "../sql/ledger-time.ts";
import { type Expression, type Sql, sql } from "../sql/sql.ts";

/**
 * `u64`: exact; in SQLite, whose integers end at 2^63 - 1, an integer up to there and its decimal text above. `boolean`: true or
 * false, in SQLite 1 or 0. `time`: a moment, in PostgreSQL a timestamptz; in SQLite its text in UTC (2026-01-31T12:00:00.000Z).
 */
export type ViewColumnType = "text" | "integer" | "u64" | "boolean" | "time";

/** One column of a view. Where it may be null, its meaning says when. */
export type ViewColumnData = { readonly type: ViewColumnType; readonly meaning: string };

/**
 * One view as data: the contract with people who write SQL. Names and columns stay; the statement behind them may change.
 * Views are made again when a database is opened by a movedex whose views differ, so they are no part of the migrations.
 */
export type ViewData = {
  readonly name: string;
  readonly meaning: string;
  readonly columns: Readonly<Record<string, ViewColumnData>>;
  /** The SELECT behind the view; its columns come in the order of `columns`. */
  readonly select: Sql;
};

export const text = (meaning: string): ViewColumnData => ({ type: "text", meaning });

/** A column of whole numbers. */
export const integer = (meaning: string): ViewColumnData => ({ type: "integer", meaning });

export const time = (meaning: string): ViewColumnData => ({ type: "time", meaning });

/** A column of truths; `meaning` goes on after "whether it". */
export const flag = (meaning: string): ViewColumnData => ({ type: "boolean", meaning: `whether it ${meaning}` });

export const snapshotColumns = {
  chain_id: { type: "integer", meaning: "the chain" },
  ledger_version: { type: "integer", meaning: "the sealed snapshot" },
  address: { type: "text", meaning: "the account as the node prints it (0x1)" },
  address_long: { type: "text", meaning: "the account as 0x and 64 digits, for joins with other data" },
} as const satisfies ViewData["columns"];

export const chain = sql`CAST((SELECT chain_id FROM _archive) AS bigint) AS chain_id`;

/** The address of `a` (addresses) as `0x` and 64 digits. */
export const addressLong = asText(sql`('0x' || ${zeroPadded(sql`substr(a.address, 3)`, 64)})`);

/** A whole number whose type tools can see: in SQLite views pass on the types of plain columns only. */
export function asInteger(expression: Sql): Sql {
  return sql`CAST(${expression} AS bigint)`;
}

export function hexText(bytes: Expression): Sql {
  return asText(hexOf(bytes));
}

/** Bytes as `0x` and hex digits. */
export function prefixedHex(bytes: Expression): Sql {
  return asText(sql`('0x' || ${hexOf(bytes)})`);
}

/** A `time` as a view shows it: a timestamptz; in SQLite, which has no such type, its text (2026-01-31T12:00:00.000Z). */
export function timeOf(time: Expression): Sql {
  return moment(time);
}

/** Columns that end every view of ledger versions: when they were made, by the ledger's own clock. */
export const timeColumns = {
  ledger_time: {
    type: "time",
    meaning: "the ledger's own time for this version, UTC; null if no known time lies on both sides of it",
  },
  ledger_time_error_ms: {
    type: "integer",
    meaning: "maximum error of ledger_time in milliseconds; 0 if a node reported the time of this version, null if ledger_time is null",
  },
} as const satisfies ViewData["columns"];

/** The expressions behind `timeColumns`, of a column that holds a version. */
export function timeValues(version: Sql): Sql {
  return sql`${asMoment(keptLedgerTimes.time(version))} AS ledger_time, ${asInteger(keptLedgerTimes.error(version))} AS ledger_time_error_ms`;
}

export const changeTimeColumns = {
  ledger_time: {
    type: "time",
    meaning:
      "the ledger's own time for at_or_before_version, UTC: the change happened then or earlier; null if no known time lies on both sides of it",
  },
  ledger_time_error_ms: {
    type: "integer",
    meaning:
      "maximum distance of the change from ledger_time in milliseconds, including all the time since after_version; null if the time of after_version is unknown",
  },
} as const satisfies ViewData["columns"];

/** The expressions behind `changeTimeColumns`. */
export function changeTimeValues(after: Sql, atOrBefore: Sql): Sql {
  return sql`${asMoment(keptLedgerTimes.time(atOrBefore))} AS ledger_time, ${asInteger(keptLedgerTimes.changeError(after, atOrBefore))} AS ledger_time_error_ms`;
}
