import type { Cell } from "../../../core/base/cell.ts";
import { suggestNames } from "../../../core/base/names.ts";
import { printable } from "../../../core/base/printable.ts";
import { type ColumnType, kinds } from "../../../core/db/schema/column.ts";
import type { ViewColumns } from "../../../core/db/schema/view.ts";
import { snapshotViews } from "../../../core/db/schema/views/modules.ts";
import { viewList } from "../../../core/db/schema/views/views.ts";
import { ConfigError } from "../../../core/errors.ts";

/** Where a column has its cells from: the place of a cell in the rows that are read, and what is made of one that is not null. */
export type CellSource = { readonly at: number; readonly make?: ((cell: Exclude<Cell, null>) => Cell) | undefined };

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

const columnsOf = (columns: ViewColumns): Column[] =>
  Object.entries(columns).map(([name, { kind, meaning }], at) => ({
    name,
    type: kinds[kind].type,
    meaning,
    source: { at },
  }));

const states: ReadonlySet<string> = new Set(snapshotViews.map(({ name }) => name));

/** Whether a table has rows of each snapshot (`…_at`) that an export of stretches has as `…_history`. */
export const isOfStates = (name: string): boolean => states.has(name) && name.endsWith("_at");

/** The public views. */
export const viewTableList: readonly Table[] = viewList.map((view) => ({
  name: view.name,
  meaning: view.meaning,
  columns: columnsOf(view.columns),
  isWhole: view.name.endsWith("_latest") || !("ledger_version" in view.columns) || view.isWhole === true,
}));

/** What `--view` takes for every public view. No view is called so. */
export const EVERY_VIEW = "all";

/**
 * The tables of an export: the views that are named, else the usual ones; and those that its directory has. Of what stood, the usual ones
 * have the rows of each stretch, or (`isBySnapshot`) of each snapshot. `…_latest` has rows of these, and another version in them each
 * night; how bytes are packed depends on the order of nights. @throws ConfigError if there is no such view
 */
export function tablesOf(isBySnapshot: boolean, named?: readonly string[], held: readonly string[] = []): readonly Table[] {
  const names = viewTableList.map(({ name }) => name);
  if (named?.includes(EVERY_VIEW)) return viewTableList;
  const unknown = named?.find((name) => !names.includes(name));
  if (unknown !== undefined)
    throw new ConfigError(`there is no view \`${printable(unknown, 80)}\`.${suggestNames(unknown, names)} \`movedex schema\` lists them.`);
  const isLeftOut = isBySnapshot
    ? (name: string) => states.has(name.replace(/^coverage_/, "covered_").replace(/_history$/, "_at")) && name.endsWith("_history")
    : isOfStates;
  const isUsual = (name: string): boolean => !(states.has(name) && name.endsWith("_latest")) && name !== "bytes_held" && !isLeftOut(name);
  return viewTableList.filter(({ name }) => held.includes(name) || (named?.includes(name) ?? isUsual(name)));
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
