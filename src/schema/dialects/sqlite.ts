import { sql } from "drizzle-orm";
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
import { LEDGER_VERSION_MAX } from "../../base/u64.ts";
import { type Kind, kinds } from "../kinds.ts";
import { indexName, isNumbered, type TableData } from "../table.ts";
import { findTable, tableList } from "../tables/tables.ts";
import { viewList } from "../views/views.ts";
import {
  type Codec,
  type ColumnConfig,
  type Columns,
  camelCase,
  commonCodecs,
  customConfig,
  exactBigint,
  isNullable,
  kindOfView,
  mapKinds,
} from "./values.ts";

const codecs: { readonly [K in Kind]: Codec<K> } = {
  ...commonCodecs,
  bool: { write: Number, read: (stored) => Number(stored) === 1 },
  time: { write: (value) => value.getTime(), read: (stored) => new Date(Number(stored)) },
};

const makeColumn = (type: string, codec: unknown) =>
  customType<{ data: unknown; driverData: unknown }>(customConfig(type, codec as Codec<"json">));

/** Begins a column of a table by its name. */
const begin = mapKinds((kind) => makeColumn(kinds[kind].sqlite, codecs[kind]));

/** The columns of views that are kept otherwise than in a table. */
const beginOfView: Partial<typeof begin> = {
  u64: makeColumn("numeric", { write: (value: bigint) => (value > LEDGER_VERSION_MAX ? String(value) : value), read: exactBigint }),
  time: makeColumn("text", { write: (value: Date) => value.toISOString(), read: (stored: unknown) => new Date(String(stored)) }),
};

/** Every table by its name in TypeScript, as drizzle and drizzle-kit know it. */
export const sqliteTables: Readonly<Record<string, SQLiteTable>> = Object.fromEntries(
  tableList.map((table) => [camelCase(table.name), makeTable(table)]),
);

/** Every public view by its name in TypeScript. */
export const sqliteViews: Readonly<Record<string, SQLiteView>> = Object.fromEntries(
  viewList.map(({ name, columns: data }) => {
    const built = Object.entries(data).map(([column, about]) => {
      const kind = kindOfView[about.type];
      const plain = (beginOfView[kind] ?? begin[kind])(column);
      return [camelCase(column), isNullable(about) ? plain : plain.notNull()];
    });
    return [camelCase(name), sqliteView(name, Object.fromEntries(built)).existing()];
  }),
);

function makeTable(table: TableData) {
  const numbered = isNumbered(table);
  const built = Object.entries(table.columns).map(([name, { kind, nullable }]) => {
    const plain = nullable ? begin[kind](name) : begin[kind](name).notNull();
    return [camelCase(name), numbered && table.key[0] === name ? plain.primaryKey() : plain];
  });
  return sqliteTable(table.name, Object.fromEntries(built), (self) => {
    const pick = (names: readonly string[]) => names.map((name) => self[camelCase(name)]) as unknown as [never, ...never[]];
    return [
      ...(numbered ? [] : [primaryKey({ columns: pick(table.key) })]),
      ...(table.indexes ?? []).map((data) => {
        const name = indexName(table, data);
        const made = (data.unique ? uniqueIndex(name) : index(name)).on(...pick(data.columns));
        return data.where === undefined ? made : made.where(sql.raw(data.where));
      }),
      ...Object.entries(table.columns).flatMap(([name, { references }]) =>
        references === undefined
          ? []
          : [foreignKey({ columns: pick([name]), foreignColumns: [foreignColumn(references)] as unknown as [never, ...never[]] })],
      ),
    ];
  });
}

function foreignColumn(name: string): unknown {
  const key = findTable(name)?.key[0] as string;
  return (sqliteTables[camelCase(name)] as unknown as Record<string, unknown>)[camelCase(key)];
}

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
