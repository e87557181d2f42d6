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
import { type Kind, postgresqlType } from "../../core/db/schema/column.ts";
import { type Codec, type ColumnConfig, type Columns, commonCodecs, customConfig, makeTables, makeViews, mapKinds } from "./relations.ts";

const codecs: { readonly [K in Kind]: Codec<K> } = {
  ...commonCodecs,
  bool: { write: (value) => value, read: Boolean },
  time: { write: (value) => value.toISOString(), read: (stored) => new Date(stored as string | Date) },
};

const begin = mapKinds((kind) =>
  customType<{ data: unknown; driverData: unknown }>(customConfig(postgresqlType(kind), codecs[kind] as Codec<"json">)),
);

/** Every table by its name in TypeScript; without a schema's name, in the one that is searched. */
export function postgresqlTables(schema?: string): Readonly<Record<string, PgTable>> {
  return makeTables<PgTable>({
    table: schema === undefined ? pgTable : pgSchema(schema).table,
    // A ledger version comes with the row; other numbers the database gives where the row brings none.
    column: (name, kind, isOwnNumber) =>
      isOwnNumber && kind === "int" ? bigint(name, { mode: "number" }).generatedByDefaultAsIdentity() : begin[kind](name),
    primaryKey,
    index: (name, { unique, isLong }, columns) => {
      const picked = columns as [never];
      return isLong ? index(name).using("hash", ...picked) : (unique ? uniqueIndex : index)(name).on(...picked);
    },
    foreignKey,
    hasReferences: ({ isBulk }) => !isBulk,
  });
}

export function postgresqlViews(schema?: string): Readonly<Record<string, PgView>> {
  return makeViews(schema === undefined ? pgView : pgSchema(schema).view, (name, kind) => begin[kind](name));
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
