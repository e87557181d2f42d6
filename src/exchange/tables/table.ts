import type { Cell } from "../../base/cell.ts";
import { type ArchiveTableName, archiveTables } from "../../schema/archive.ts";
import type { ColumnData } from "../../schema/column.ts";
import { type ColumnType, kinds } from "../../schema/kinds.ts";
import { viewList } from "../../schema/views/views.ts";
import { watchViews } from "../../schema/views/watch.ts";
import { workViews } from "../../schema/views/work.ts";

export type Column = { readonly name: string; readonly type: ColumnType; readonly isNullable: boolean; readonly meaning: string };

/** An exported table. Rows are lists of values in the order of `columns`. */
export type Table = {
  readonly name: string;
  readonly family: "archive" | "view";
  readonly meaning: string;
  readonly columns: readonly Column[];
};

const columnsOf = (columns: Readonly<Record<string, ColumnData>>): Column[] =>
  Object.entries(columns).map(([name, { kind, meaning, nullable }]) => ({
    name,
    type: kinds[kind].type,
    isNullable: nullable === true,
    meaning,
  }));

const SNAPSHOTS = "archive_snapshots" satisfies ArchiveTableName;
/** The last column of `snapshotTable`. It is in files only, since a database has one chain. Nullable for exports without it. */
const chainColumn: Column = { name: "chain_id", type: "integer", isNullable: true, meaning: "chain id of the network" };

/** The tables from which a database can be restored, in the order in which they are written and read. */
export const archiveTableList: readonly (Table & { readonly name: ArchiveTableName })[] = Object.entries(archiveTables).map(
  ([name, { meaning, columns }]) => ({
    name: name as ArchiveTableName,
    family: "archive",
    meaning,
    columns: name === SNAPSHOTS ? [...columnsOf(columns), chainColumn] : columnsOf(columns),
  }),
);

export const snapshotTable = archiveTableList.find(({ name }) => name === SNAPSHOTS) as (typeof archiveTableList)[number];

const notOfLedger = [...workViews, ...watchViews];

/**
 * The public views that have a ledger version. The `…_latest` views repeat them and are left out; so are the runs, which say
 * nothing of the ledger, name nodes, and would make every export out of date with the next run, and what somebody watches.
 */
export const viewTableList: readonly Table[] = viewList
  .filter((view) => "ledger_version" in view.columns && !view.name.endsWith("_latest") && !notOfLedger.includes(view))
  .map(({ name, meaning, columns }) => ({
    name,
    family: "view",
    meaning,
    columns: columnsOf(columns).map((column) => ({ ...column, isNullable: true })),
  }));

/** Milliseconds on both sides of 1970 that a Date holds. Source: ECMA-262, "Time Values and Time Range". */
const DATE_MAX = 8_640_000_000_000_000n;

/** The boolean behind the value of a `boolean` column. */
export function toBoolean(value: Exclude<Cell, null>): boolean {
  return BigInt(value as bigint | number) !== 0n;
}

/** The value of a `time` column in milliseconds since 1970. Views have times as ISO text. @throws RangeError if it is no time */
export function toMs(value: Exclude<Cell, null>): bigint {
  return BigInt(typeof value === "string" ? Date.parse(value) : (value as bigint | number));
}

/** A time as ISO text in UTC (2026-01-31T12:00:00.000Z). One that no Date holds stays the number of milliseconds that it is. */
export function formatTime(value: Exclude<Cell, null>): string | bigint {
  const ms = toMs(value);
  return ms >= -DATE_MAX && ms <= DATE_MAX ? new Date(Number(ms)).toISOString() : ms;
}

/** Writes the rows of one table to a file, one after the other; memory does not grow with them. */
export type RowWriter = { readonly row: (values: readonly Cell[]) => void; readonly end: () => void };
