import type { ColumnData } from "./column.ts";

export function isChecked(table: TableData): boolean {
  return "checksum" in table.columns;
}

export type IndexData = {
  readonly columns: readonly string[];
  readonly unique?: true;
  /** Rows are found by it while others are derived, so that it is never left away. */
  readonly isSought?: true;
  /** Texts may be longer than PostgreSQL's B-trees allow: it has a hash index there, and the writer stores each text once. */
  readonly isLong?: true;
  /** The condition of rows that are in it, when not all are. */
  readonly where?: string;
};

/** Columns of a table, and the table whose key they hold, in its order. */
export type Reference = { readonly columns: readonly string[]; readonly parent: string };

/** One table as data: drizzle's tables, migrations, documentation and tests come from it. Columns keep their order. */
export type TableData = {
  /** Begins with an underscore: people ask the views. */
  readonly name: string;
  readonly meaning: string;
  readonly columns: Readonly<Record<string, ColumnData>>;
  /** Names of the key's columns. A key of one `int` or `version` column is the row's own number. */
  readonly key: readonly string[];
  /** Columns that hold the key of another table together. A single column says by itself what it refers to. */
  readonly references?: readonly Reference[];
  readonly indexes?: readonly IndexData[];
  /**
   * Whether PostgreSQL has no foreign keys of it, since it would check them row by row: rows of a snapshot that is being read, or rows that
   * are written together with those they refer to. SQLite checks its foreign keys. Seals and `verify` find a broken reference.
   */
  readonly isBulk?: true;
  /** Rows that are written once and then changed in place: PostgreSQL leaves room beside each, so that its indexes need no second entry. */
  readonly isRewritten?: true;
  /** Of a capability: its rows follow from others, and `verify --rebuild` makes them again. */
  readonly isMadeAnew?: true;
  /** SQLite keeps rows in the order of writing, not by key: else DuckDB cannot count this table, and long rows leave pages half empty. */
  readonly isInOrderOfWriting?: true;
};

/** A table as its file declares it: without a key, its key is `id`. */
type Written = Omit<TableData, "name" | "key"> & Partial<Pick<TableData, "key">>;

/** Tables by their names without the underscore. */
export function tablesOf<const T extends Readonly<Record<string, Written>>>(tables: T) {
  const named = Object.entries(tables).map(([name, table]) => [name, { name: `_${name}`, key: ["id"], ...table }]);
  return Object.fromEntries(named) as {
    readonly [Name in keyof T & string]: T[Name] & Pick<TableData, "key"> & { readonly name: `_${Name}` };
  };
}

export function referencesOf(table: TableData): readonly Reference[] {
  const single = Object.entries(table.columns).flatMap(([column, { references: parent }]) =>
    parent === undefined ? [] : [{ columns: [column], parent }],
  );
  return [...single, ...(table.references ?? [])];
}

/** The name of a foreign key: of one column as drizzle-kit gives it; of several a shorter one, since PostgreSQL cuts names at 63 bytes. */
export function referenceName(table: string, { columns, parent }: Reference): string {
  return columns.length === 1 ? `${table}_${columns[0]}_${parent}_id_fk` : `${table}_${parent}_fk`;
}

/** The name of an index: that of its table, without the underscore, and of its columns. */
export function indexName(table: TableData, { columns }: IndexData): string {
  return `${table.name.slice(1)}_by_${columns.join("_")}`;
}

/** Whether a table's rows are numbered by its key, so that it needs no other storage order. */
export function isNumbered(table: TableData): boolean {
  const kind = table.key.length === 1 ? table.columns[table.key[0] as string]?.kind : undefined;
  return kind === "int" || kind === "version";
}
