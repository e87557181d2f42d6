import { type SQL, sql } from "drizzle-orm";
import type { Kind } from "../kinds.ts";
import { type IndexData, indexName, isNumbered, referenceName, referencesOf, type TableData } from "../table.ts";
import { findTable, tableList } from "../tables/tables.ts";
import { viewList } from "../views/views.ts";
import { camelCase, isNullable } from "./values.ts";

/** A column that is begun, in either dialect. */
type Column = { notNull(): Column; primaryKey(): Column };
/** The columns of a table or view by their names in TypeScript. */
type Columns = Readonly<Record<string, unknown>>;

/** What tables are made of in one dialect. drizzle types it by columns, which here come from data: hence `never`. */
type Words<Table> = {
  readonly table: (name: string, columns: never, parts: (self: Columns) => never) => Table;
  /** Begins a column. `isOwnNumber`: it is the row's own number, which is the key. */
  readonly column: (name: string, kind: Kind, isOwnNumber: boolean) => Column;
  readonly primaryKey: (key: never) => unknown;
  readonly index: (name: string, data: IndexData, columns: never) => { where(condition: SQL): unknown };
  readonly foreignKey: (reference: never) => unknown;
  /** Whether the database checks what the rows of a table refer to. */
  readonly hasReferences: (table: TableData) => boolean;
};

export function makeTables<Table>(words: Words<Table>): Readonly<Record<string, Table>> {
  const made: Record<string, Table> = {};
  const keyOf = (name: string): readonly unknown[] =>
    (findTable(name) as TableData).key.map((column) => (made[camelCase(name)] as Columns)[camelCase(column)]);
  const partsOf = (table: TableData, self: Columns): readonly unknown[] => {
    const pick = (...names: readonly string[]) => names.map((name) => self[camelCase(name)]);
    return [
      ...(isNumbered(table) ? [] : [words.primaryKey({ columns: pick(...table.key) } as never)]),
      ...(table.indexes ?? []).map((data) => {
        const index = words.index(indexName(table, data), data, pick(...data.columns) as never);
        return data.where === undefined ? index : index.where(sql.raw(data.where));
      }),
      ...(words.hasReferences(table) ? referencesOf(table) : []).map((reference) => {
        const { columns, parent } = reference;
        const name = columns.length === 1 ? {} : { name: referenceName(table.name, reference) };
        return words.foreignKey({ ...name, columns: pick(...columns), foreignColumns: keyOf(parent) } as never);
      }),
    ];
  };
  for (const table of tableList) {
    const columns = Object.entries(table.columns).map(([name, { kind, nullable }]) => {
      const isOwnNumber = isNumbered(table) && table.key[0] === name;
      const column = words.column(name, kind, isOwnNumber);
      const plain = nullable ? column : column.notNull();
      return [camelCase(name), isOwnNumber ? plain.primaryKey() : plain];
    });
    made[camelCase(table.name)] = words.table(table.name, Object.fromEntries(columns) as never, (self) => partsOf(table, self) as never);
  }
  return made;
}

export function makeViews<View>(
  view: (name: string, columns: never) => { existing(): View },
  begin: (name: string, kind: Kind) => Column,
): Readonly<Record<string, View>> {
  const made = viewList.map(({ name, columns }) => {
    const built = Object.entries(columns).map(([column, data]) => {
      const plain = begin(column, data.kind);
      return [camelCase(column), isNullable(data) ? plain : plain.notNull()];
    });
    return [camelCase(name), view(name, Object.fromEntries(built) as never).existing()];
  });
  return Object.fromEntries(made);
}
