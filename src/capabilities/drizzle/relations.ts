import { type SQL, sql } from "drizzle-orm";
import { type Kind, kinds } from "../../core/db/schema/column.ts";
import { type IndexData, indexName, isNumbered, referenceName, referencesOf, type TableData } from "../../core/db/schema/table.ts";
import { findTable, tableList } from "../../core/db/schema/tables/tables.ts";
import { isNullable } from "../../core/db/schema/view.ts";
import { viewList } from "../../core/db/schema/views/views.ts";

/** A column that is begun, in either dialect. */
type Begun = { notNull(): Begun; primaryKey(): Begun };
/** The columns of a table by their names in TypeScript. */
type Self = Readonly<Record<string, unknown>>;

/** What tables are made of in one dialect. drizzle types it by columns, which here come from data: hence `never`. */
type Words<Table> = {
  readonly table: (name: string, columns: never, parts: (self: Self) => never) => Table;
  /** Begins a column. `isOwnNumber`: it is the row's own number, which is the key. */
  readonly column: (name: string, kind: Kind, isOwnNumber: boolean) => Begun;
  readonly primaryKey: (key: never) => unknown;
  readonly index: (name: string, data: IndexData, columns: never) => { where(condition: SQL): unknown };
  readonly foreignKey: (reference: never) => unknown;
  /** Whether the database checks what the rows of a table refer to. */
  readonly hasReferences: (table: TableData) => boolean;
};

export function makeTables<Table>(words: Words<Table>): Readonly<Record<string, Table>> {
  const made: Record<string, Table> = {};
  const keyOf = (name: string): readonly unknown[] =>
    (findTable(name) as TableData).key.map((column) => (made[camelCase(name)] as Self)[camelCase(column)]);
  const partsOf = (table: TableData, self: Self): readonly unknown[] => {
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
  begin: (name: string, kind: Kind) => Begun,
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

/** What a row of drizzle holds for a column of each kind: the same on both engines, and the same from a table as from a view. */
export type DrizzleValue<K extends Kind> = {
  text: string;
  int: number;
  version: number;
  u64: bigint;
  bytes: Uint8Array;
  json: unknown;
  bool: boolean;
  time: Date;
}[K];

/** The name that a table, view or column has in TypeScript: `functions_latest` is functionsLatest, and the table `_abis` is abis. */
export function camelCase(name: string): string {
  return name.replace(/^_/, "").replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** A whole number as drivers hand it over. @throws RangeError for one that is not exact as a number */
export function wholeNumber(stored: unknown): number {
  const number = Number(stored);
  if (!Number.isSafeInteger(number)) throw notExact(stored);
  return number;
}

/** A u64 as drivers hand it over. @throws RangeError for a number that the driver has rounded */
export function exactBigint(stored: unknown): bigint {
  if (typeof stored === "number" && !Number.isSafeInteger(stored)) throw notExact(stored);
  return BigInt(stored as string | number | bigint);
}

export function mapKinds<T>(of: (kind: Kind) => T): Readonly<Record<Kind, T>> {
  return Object.fromEntries(Object.keys(kinds).map((kind) => [kind, of(kind as Kind)])) as Record<Kind, T>;
}

/** How the value of a kind goes in and comes out. */
export type Codec<K extends Kind> = {
  readonly write: (value: DrizzleValue<K>) => unknown;
  readonly read: (stored: unknown) => DrizzleValue<K>;
};

const asIs = (value: unknown): unknown => value;

/** The kinds that both engines take and give alike; booleans and times each in its own way. */
export const commonCodecs: { readonly [K in Exclude<Kind, "bool" | "time">]: Codec<K> } = {
  text: { write: String, read: String },
  int: { write: asIs, read: wholeNumber },
  version: { write: asIs, read: wholeNumber },
  u64: { write: String, read: exactBigint },
  bytes: { write: asIs, read: (stored) => new Uint8Array(stored as Uint8Array) },
  // Some drivers have parsed it.
  json: { write: (value) => JSON.stringify(value), read: (stored) => (typeof stored === "string" ? JSON.parse(stored) : stored) },
};

/** What `customType` of a dialect takes for a kind. Values of placeholders come to it even when they are null. */
export function customConfig<K extends Kind>(type: string, { write, read }: Codec<K>) {
  return {
    dataType: () => type,
    toDriver: (value: DrizzleValue<K>) => (value === null ? value : write(value)),
    fromDriver: read,
  };
}

function notExact(stored: unknown): RangeError {
  return new RangeError(
    `${stored} is not exact as a number: have the driver hand over bigint (better-sqlite3: \`defaultSafeIntegers()\`), or select it as text.`,
  );
}

/** The columns of a table or view as the package declares them: the name of each in the database, and what its values are. */
export type Columns = Readonly<Record<string, readonly [name: string, value: unknown]>>;

/** One of these columns, as drizzle describes it. */
export type ColumnConfig<Table extends string, Column extends Columns[string], Type extends string> = {
  name: Column[0];
  tableName: Table;
  dataType: "custom";
  columnType: Type;
  data: Exclude<Column[1], null>;
  driverParam: unknown;
  notNull: null extends Column[1] ? false : true;
  hasDefault: false;
  isPrimaryKey: false;
  isAutoincrement: false;
  hasRuntimeDefault: false;
  enumValues: undefined;
};
