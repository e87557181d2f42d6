import { type Kind, kinds, postgresqlType } from "../kinds.ts";
import { type IndexData, indexName, isNumbered, type TableData } from "../table.ts";
import { findTable, tables } from "../tables/tables.ts";
import { pgCore as core, sql } from "./drizzle.ts";

const columns = Object.fromEntries(
  Object.keys(kinds).map((kind) => [kind, core.customType<{ data: unknown }>({ dataType: () => postgresqlType(kind as Kind) })]),
) as Record<Kind, ReturnType<typeof core.customType<{ data: unknown }>>>;

type PostgresqlTables = { readonly [Name in keyof typeof tables]: ReturnType<typeof core.pgTable> };

/**
 * Every table as drizzle-kit makes PostgreSQL's migrations of it, from the same data as SQLite's. Rows are read and written by
 * the engine's statements, so these have no types of rows.
 */
export const postgresqlTables = Object.fromEntries(
  Object.entries(tables).map(([name, table]) => [name, makeTable(table)]),
) as unknown as PostgresqlTables;

function makeTable(table: TableData) {
  const numbered = isNumbered(table);
  const built = Object.entries(table.columns).map(([name, { kind, nullable }]) => {
    const isOwnNumber = numbered && table.key[0] === name;
    // A ledger version comes with the row; other numbers the database gives where the row brings none.
    if (isOwnNumber && kind === "int") return [name, core.bigint({ mode: "number" }).generatedByDefaultAsIdentity().primaryKey()];
    const column = columns[kind]();
    if (isOwnNumber) return [name, column.primaryKey()];
    return [name, nullable ? column : column.notNull()];
  });
  return core.pgTable(table.name, Object.fromEntries(built), (self) => {
    const pick = (names: readonly string[]) => names.map((name) => self[name]) as unknown as [never, ...never[]];
    return [
      ...(numbered ? [] : [core.primaryKey({ columns: pick(table.key) })]),
      ...table.indexes.map((data: IndexData) => {
        const name = indexName(table, data);
        if (data.isLong) return core.index(name).using("hash", ...pick(data.columns));
        const made = (data.unique ? core.uniqueIndex : core.index)(name).on(...pick(data.columns));
        return data.where === undefined ? made : made.where(sql.raw(data.where));
      }),
      ...Object.entries(table.columns).flatMap(([name, { references }]) =>
        references === undefined || table.isDerived || table.isBulk
          ? []
          : [core.foreignKey({ columns: pick([name]), foreignColumns: [foreignColumn(references)] as unknown as [never, ...never[]] })],
      ),
    ];
  });
}

function foreignColumn(name: string): unknown {
  const key = findTable(name)?.key[0] as string;
  return (postgresqlTables as unknown as Record<string, Record<string, unknown>>)[name.slice(1)]?.[key];
}
