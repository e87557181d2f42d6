import type { Cell } from "../../base/cell.ts";
import { type ArchiveTableName, archiveTables } from "../../schema/archive.ts";
import type { ColumnData } from "../../schema/column.ts";
import { type ColumnType, kinds } from "../../schema/kinds.ts";
import { backfillViews } from "../../schema/views/backfill.ts";
import { snapshotViews } from "../../schema/views/modules.ts";
import { viewList } from "../../schema/views/views.ts";
import { watchViews } from "../../schema/views/watch.ts";
import { sourceViews, workViews } from "../../schema/views/work.ts";

export type Column = { readonly name: string; readonly type: ColumnType; readonly isNullable: boolean; readonly meaning: string };

/** An exported table. Rows are lists of values in the order of `columns`. */
export type Table = {
  readonly name: string;
  readonly family: "archive" | "view";
  readonly meaning: string;
  readonly columns: readonly Column[];
  /** Whether its rows are no snapshot's: it is one file, in the first part, which is replaced when a row is another. */
  readonly isWhole?: boolean;
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

/** Views with rows at versions that no snapshot has, or that say when something was done. */
const notOfSnapshots = [...workViews, ...watchViews, ...backfillViews, ...sourceViews];

const states: ReadonlySet<string> = new Set(snapshotViews.map(({ name }) => name));

/** Whether a table has rows of each snapshot (`…_at`) that an export of stretches has as `…_history`. */
export const isOfStates = (name: string): boolean => states.has(name) && name.endsWith("_at");

/** The public views, but the `…_latest`: the others have their rows. What stood is in `…_at` and in `…_history`: an export has either. */
export const viewTableList: readonly Table[] = viewList
  .filter(({ name }) => !name.endsWith("_latest"))
  .map((view) => ({
    name: view.name,
    family: "view",
    meaning: view.meaning,
    columns: columnsOf(view.columns).map((column) => ({ ...column, isNullable: true })),
    isWhole: !("ledger_version" in view.columns) || notOfSnapshots.includes(view),
  }));

/** Which tables are wanted: the archive tables, from which a database can be restored, the public views, or both. */
export type TableFamilies = readonly Table["family"][];

/** The tables of an export. `isBySnapshot`: with rows for each snapshot in the place of those for each stretch. */
export function tablesOf(families: TableFamilies, isBySnapshot: boolean): readonly Table[] {
  const isLeftOut = isBySnapshot
    ? (name: string) => states.has(name.replace(/^coverage_/, "covered_").replace(/_history$/, "_at")) && name.endsWith("_history")
    : isOfStates;
  return [...archiveTableList, ...viewTableList].filter(({ name, family }) => families.includes(family) && !isLeftOut(name));
}

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
