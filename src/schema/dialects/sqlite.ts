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
  type ColumnConfig,
  type Columns,
  camelCase,
  type DrizzleValue,
  exactBigint,
  isNullable,
  kindOfView,
  wholeNumber,
} from "./values.ts";

/** A column kind in SQLite: how its JavaScript value goes in and comes out. */
function column<K extends Kind>(
  kind: K,
  write: (value: DrizzleValue<K>) => unknown,
  read: (stored: unknown) => DrizzleValue<K>,
  type: string = kinds[kind].sqlite,
) {
  return customType<{ data: DrizzleValue<K>; driverData: unknown }>({
    dataType: () => type,
    // Values of placeholders come here even when they are null.
    toDriver: (value) => (value === null ? value : write(value)),
    fromDriver: read,
  });
}

const columns = {
  text: column("text", String, String),
  int: column("int", (value) => value, wholeNumber),
  version: column("version", (value) => value, wholeNumber),
  u64: column("u64", String, exactBigint),
  bytes: column(
    "bytes",
    (value) => value,
    (stored) => new Uint8Array(stored as Uint8Array),
  ),
  json: column("json", JSON.stringify, (stored) => JSON.parse(stored as string)),
  bool: column("bool", Number, (stored) => Number(stored) === 1),
  time: column(
    "time",
    (value) => value.getTime(),
    (stored) => new Date(Number(stored)),
  ),
};

const viewColumns = {
  u64: column("u64", (value) => (value > LEDGER_VERSION_MAX ? String(value) : value), exactBigint, "numeric"),
  time: column(
    "time",
    (value) => value.toISOString(),
    (stored) => new Date(String(stored)),
    "text",
  ),
};

type Begin = (name: string) => ReturnType<typeof columns.text>;
/** Begins a column of a table by its name. All kinds are built alike, whatever their values. */
const begin = columns as unknown as Readonly<Record<Kind, Begin>>;
const beginOfView = viewColumns as unknown as Readonly<Partial<Record<Kind, Begin>>>;

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
