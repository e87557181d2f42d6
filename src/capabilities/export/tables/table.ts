import type { Cell, CellSource } from "../../../core/base/cell.ts";
import type { ColumnData } from "../../../core/db/schema/column.ts";
import { type ColumnType, kinds } from "../../../core/db/schema/column.ts";
import { backfillViews } from "../../../core/db/schema/views/backfill.ts";
import { snapshotViews } from "../../../core/db/schema/views/modules.ts";
import { viewList } from "../../../core/db/schema/views/views.ts";
import { watchViews } from "../../../core/db/schema/views/watch.ts";
import { sourceViews, workViews } from "../../../core/db/schema/views/work.ts";

export type Column = {
  readonly name: string;
  readonly type: ColumnType;
  readonly meaning: string;
  readonly source: CellSource;
};

/** An exported table. The columns say where in a row they have their cells from. */
export type Table = {
  readonly name: string;
  readonly meaning: string;
  readonly columns: readonly Column[];
  /** Whether its rows are no snapshot's: it is one file. */
  readonly isWhole?: boolean;
};

const columnsOf = (columns: Readonly<Record<string, ColumnData>>): Column[] =>
  Object.entries(columns).map(([name, { kind, meaning }], at) => ({
    name,
    type: kinds[kind].type,
    meaning,
    source: { at },
  }));

/** Views with rows at versions that no snapshot has, or that say when something was done. */
const notOfSnapshots = [...workViews, ...watchViews, ...backfillViews, ...sourceViews];

const states: ReadonlySet<string> = new Set(snapshotViews.map(({ name }) => name));

/** Whether a table has rows of each snapshot (`…_at`) that an export of stretches has as `…_history`. */
export const isOfStates = (name: string): boolean => states.has(name) && name.endsWith("_at");

/**
 * The public views, but the `…_latest`: the others have their rows. What stood is in `…_at` and in `…_history`: an export has either. How
 * bytes are packed depends on the order of nights: an export of modules has them plain.
 */
export const viewTableList: readonly Table[] = viewList
  .filter(({ name }) => !name.endsWith("_latest") && name !== "bytes_held")
  .map((view) => ({
    name: view.name,
    meaning: view.meaning,
    columns: columnsOf(view.columns),
    isWhole: !("ledger_version" in view.columns) || notOfSnapshots.includes(view),
  }));

/** The tables of an export. `isBySnapshot`: with rows for each snapshot in the place of those for each stretch. */
export function tablesOf(isBySnapshot: boolean): readonly Table[] {
  const isLeftOut = isBySnapshot
    ? (name: string) => states.has(name.replace(/^coverage_/, "covered_").replace(/_history$/, "_at")) && name.endsWith("_history")
    : isOfStates;
  return viewTableList.filter(({ name }) => !isLeftOut(name));
}

/** The cells of a row, in the order of the columns. What the row before had too is not made again. */
export function cellsOf(columns: readonly Column[]): (row: readonly Cell[]) => Cell[] {
  const last = columns.map((): [from: Cell, made: Cell] => [null, null]);
  return (row) =>
    columns.map(({ source: { at, make } }, i) => {
      const from = row[at] ?? null;
      if (from === null || make === undefined) return from;
      if (last[i]?.[0] !== from) last[i] = [from, make(from)];
      return last[i]?.[1] ?? null;
    });
}

/** Milliseconds on both sides of 1970 that a Date holds. Source: ECMA-262, "Time Values and Time Range". */
const DATE_MAX = 8_640_000_000_000_000n;

/** The boolean behind the value of a `boolean` column. */
export function toBoolean(value: Exclude<Cell, null>): boolean {
  return Number(value) !== 0;
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

/** Writes the rows of one table to a file, list after list; memory does not grow with them. */
export type RowWriter = { readonly rows: (rows: readonly (readonly Cell[])[]) => void; readonly end: () => void };
