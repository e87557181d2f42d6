import { sql } from "drizzle-orm";
import {
  bigint,
  customType,
  foreignKey,
  index,
  type PgColumn,
  type PgTable,
  type PgTableWithColumns,
  type PgView,
  type PgViewWithSelection,
  pgSchema,
  pgTable,
  pgView,
  primaryKey,
  uniqueIndex,
} from "drizzle-orm/pg-core";
import { type Kind, postgresqlType } from "../kinds.ts";
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
  isNullable,
  kindOfView,
  mapKinds,
} from "./values.ts";

const codecs: { readonly [K in Kind]: Codec<K> } = {
  ...commonCodecs,
  bool: { write: (value) => value, read: Boolean },
  time: { write: (value) => value.toISOString(), read: (stored) => new Date(stored as string | Date) },
};

/** Begins a column of a kind by its name. */
const begin = mapKinds((kind) =>
  customType<{ data: unknown; driverData: unknown }>(customConfig(postgresqlType(kind), codecs[kind] as Codec<"json">)),
);

type Tables = Readonly<Record<string, PgTable>>;
type Views = Readonly<Record<string, PgView>>;

/** Every table by its name in TypeScript, as drizzle and drizzle-kit know it; without a schema's name, in the one that is searched. */
export function postgresqlTables(schema?: string): Tables {
  const table = schema === undefined ? pgTable : (pgSchema(schema).table as unknown as typeof pgTable);
  const made: Record<string, PgTable> = {};
  for (const data of tableList) made[camelCase(data.name)] = makeTable(table, made, data);
  return made;
}

/** Every public view by its name in TypeScript. */
export function postgresqlViews(schema?: string): Views {
  const view = schema === undefined ? pgView : pgSchema(schema).view;
  return Object.fromEntries(
    viewList.map(({ name, columns: data }) => {
      const built = Object.entries(data).map(([column, about]) => {
        const plain = begin[kindOfView[about.type]](column);
        return [camelCase(column), isNullable(about) ? plain : plain.notNull()];
      });
      return [camelCase(name), view(name, Object.fromEntries(built)).existing()];
    }),
  );
}

function makeTable(make: typeof pgTable, made: Tables, table: TableData): PgTable {
  const numbered = isNumbered(table);
  const built = Object.entries(table.columns).map(([name, { kind, nullable }]) => {
    const isOwnNumber = numbered && table.key[0] === name;
    // A ledger version comes with the row; other numbers the database gives where the row brings none.
    if (isOwnNumber && kind === "int")
      return [camelCase(name), bigint(name, { mode: "number" }).generatedByDefaultAsIdentity().primaryKey()];
    const column = begin[kind](name);
    if (isOwnNumber) return [camelCase(name), column.primaryKey()];
    return [camelCase(name), nullable ? column : column.notNull()];
  });
  return make(table.name, Object.fromEntries(built), (self) => {
    const pick = (names: readonly string[]) => names.map((name) => self[camelCase(name)]) as unknown as [never, ...never[]];
    return [
      ...(numbered ? [] : [primaryKey({ columns: pick(table.key) })]),
      ...(table.indexes ?? []).map((data) => {
        const name = indexName(table, data);
        if (data.isLong) return index(name).using("hash", ...pick(data.columns));
        const unfinished = (data.unique ? uniqueIndex : index)(name).on(...pick(data.columns));
        return data.where === undefined ? unfinished : unfinished.where(sql.raw(data.where));
      }),
      ...Object.entries(table.columns).flatMap(([name, { references }]) =>
        references === undefined || table.isBulk
          ? []
          : [foreignKey({ columns: pick([name]), foreignColumns: [foreignColumn(made, references)] as unknown as [never, ...never[]] })],
      ),
    ];
  });
}

function foreignColumn(made: Tables, name: string): unknown {
  const key = findTable(name)?.key[0] as string;
  return (made[camelCase(name)] as unknown as Record<string, unknown>)[camelCase(key)];
}

type Typed<Table extends string, C extends Columns> = {
  [Key in keyof C]: PgColumn<ColumnConfig<Table, C[Key], "PgCustomColumn">>;
};

/** A view as `movedex/schema/postgresql` declares it. @public */
export type PostgresqlView<Name extends string, C extends Columns> = PgViewWithSelection<Name, true, Typed<Name, C>>;

/** A table as `movedex/schema/postgresql` declares it. @public */
export type PostgresqlTable<Name extends string, C extends Columns> = PgTableWithColumns<{
  name: Name;
  schema: string;
  columns: Typed<Name, C>;
  dialect: "pg";
}>;
