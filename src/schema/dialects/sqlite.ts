import { type Kind, type KindValue, kinds } from "../kinds.ts";
import { type ColumnData, type IndexData, indexName, isNumbered, type TableData } from "../table.ts";
import { findTable, tables } from "../tables/tables.ts";
import { customType, foreignKey, index, primaryKey, sql, sqliteTable, uniqueIndex } from "./drizzle.ts";

type Stored = string | number | bigint | Uint8Array;

/** A column kind in SQLite: how its JavaScript value goes in and comes out. Numbers are read as bigint, so that none is ever rounded. */
function column<K extends Kind>(kind: K, write: (value: KindValue<K>) => Stored, read: (stored: Stored) => KindValue<K>) {
  return customType<{ data: KindValue<K>; driverData: Stored }>({
    dataType: () => kinds[kind].sqlite,
    // Values of placeholders come here even when they are null.
    toDriver: (value) => (value === null ? (value as never) : write(value)),
    fromDriver: read,
  });
}

const columns = {
  text: column("text", String, String),
  int: column("int", (value) => value, Number),
  version: column("version", (value) => value, BigInt as (stored: Stored) => bigint),
  u64: column("u64", String, BigInt as (stored: Stored) => bigint),
  bytes: column(
    "bytes",
    (value) => value,
    (stored) => new Uint8Array(stored as Uint8Array),
  ),
  json: column("json", JSON.stringify, (stored) => JSON.parse(stored as string)),
  bool: column("bool", Number, (stored) => Number(stored) === 1),
  time: column("time", (value) => value, Number),
};

const required = {
  text: () => columns.text().notNull(),
  int: () => columns.int().notNull(),
  version: () => columns.version().notNull(),
  u64: () => columns.u64().notNull(),
  bytes: () => columns.bytes().notNull(),
  json: () => columns.json().notNull(),
  bool: () => columns.bool().notNull(),
  time: () => columns.time().notNull(),
};

type ColumnOf<C extends ColumnData> = C extends { readonly nullable: true }
  ? ReturnType<(typeof columns)[C["kind"]]>
  : ReturnType<(typeof required)[C["kind"]]>;
type ColumnsOf<T extends TableData> = { -readonly [Name in keyof T["columns"]]: ColumnOf<T["columns"][Name]> };

function makeTable<T extends TableData>(table: T) {
  const numbered = isNumbered(table);
  const built = Object.entries(table.columns).map(([name, { kind, nullable }]) => {
    const plain = nullable ? columns[kind]() : required[kind]();
    return [name, numbered && table.key[0] === name ? plain.primaryKey() : plain];
  });
  return sqliteTable(table.name as T["name"], Object.fromEntries(built) as ColumnsOf<T>, (self) => {
    const pick = (names: readonly string[]) => names.map((name) => (self as Record<string, never>)[name]) as unknown as [never, ...never[]];
    return [
      ...(numbered ? [] : [primaryKey({ columns: pick(table.key) })]),
      ...table.indexes.map((data: IndexData) => {
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

/** What drizzle cannot say about a table: SQLite checks types (STRICT), and rows without a number of their own are kept in key order. */
export function sqliteTableOptions(table: TableData): string {
  return isNumbered(table) || table.isInOrderOfWriting ? "STRICT" : "STRICT, WITHOUT ROWID";
}

type Tables = typeof tables;
type SqliteTables = { [Name in keyof Tables]: ReturnType<typeof makeTable<Tables[Name]>> };

function foreignColumn(name: string): unknown {
  const key = findTable(name)?.key[0] as string;
  return (sqliteTables[name.slice(1) as keyof SqliteTables] as unknown as Record<string, unknown>)[key];
}

/** Every table as drizzle knows it, with typed rows, made from the table data. */
export const sqliteTables = Object.fromEntries(
  Object.entries(tables).map(([name, table]) => [name, makeTable(table as TableData)]),
) as unknown as SqliteTables;
