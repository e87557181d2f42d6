import {
  customType,
  foreignKey,
  index,
  primaryKey,
  type SQLiteColumn,
  type SQLiteTable,
  type SQLiteTableWithColumns,
  type SQLiteView,
  type SQLiteViewWithSelection,
  sqliteTable,
  sqliteView,
  uniqueIndex,
} from "drizzle-orm/sqlite-core";
import { LEDGER_VERSION_MAX } from "../../core/base/numbers.ts";
import { type Kind, kinds } from "../../core/db/schema/column.ts";
import { isNumbered, type TableData } from "../../core/db/schema/table.ts";
import {
  type Codec,
  type ColumnConfig,
  type Columns,
  commonCodecs,
  customConfig,
  exactBigint,
  makeTables,
  makeViews,
  mapKinds,
} from "./relations.ts";

const codecs: { readonly [K in Kind]: Codec<K> } = {
  ...commonCodecs,
  bool: { write: Number, read: (stored) => Number(stored) === 1 },
  time: { write: (value) => value.getTime(), read: (stored) => new Date(Number(stored)) },
};

const makeColumn = (type: string, codec: unknown) =>
  customType<{ data: unknown; driverData: unknown }>(customConfig(type, codec as Codec<"json">));

const begin = mapKinds((kind) => makeColumn(kinds[kind].sqlite, codecs[kind]));

/** The columns of views that are kept otherwise than in a table. */
const beginOfView: Partial<typeof begin> = {
  u64: makeColumn("numeric", { write: (value: bigint) => (value > LEDGER_VERSION_MAX ? String(value) : value), read: exactBigint }),
  time: makeColumn("text", { write: (value: Date) => value.toISOString(), read: (stored: unknown) => new Date(String(stored)) }),
};

export const sqliteTables: Readonly<Record<string, SQLiteTable>> = makeTables({
  table: sqliteTable,
  column: (name, kind) => begin[kind](name),
  primaryKey,
  index: (name, { unique }, columns) => (unique ? uniqueIndex : index)(name).on(...(columns as [never])),
  foreignKey,
  hasReferences: () => true,
});

export const sqliteViews: Readonly<Record<string, SQLiteView>> = makeViews(sqliteView, (name, kind) =>
  (beginOfView[kind] ?? begin[kind])(name),
);

/** What drizzle cannot say about a table: SQLite checks types (STRICT), and rows without a number of their own are kept in key order. */
export function sqliteTableOptions(table: TableData): string {
  return isNumbered(table) || table.isInOrderOfWriting ? "STRICT" : "STRICT, WITHOUT ROWID";
}

type Typed<Table extends string, C extends Columns> = {
  [Key in keyof C]: SQLiteColumn<ColumnConfig<Table, C[Key], "SQLiteCustomColumn">>;
};

/** A view as `movedex/schema/sqlite` declares it. @public */
export type SqliteView<Name extends string, C extends Columns> = SQLiteViewWithSelection<Name, true, Typed<Name, C>>;

/** A table as `movedex/schema/sqlite` declares it. @public */
export type SqliteTable<Name extends string, C extends Columns> = SQLiteTableWithColumns<{
  name: Name;
  schema: undefined;
  columns: Typed<Name, C>;
  dialect: "sqlite";
}>;
