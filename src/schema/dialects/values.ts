import { type Kind, kinds } from "../kinds.ts";
import type { ViewColumnData } from "../views/view.ts";

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

export function isNullable({ meaning }: ViewColumnData): boolean {
  return /\bnull\b/.test(meaning);
}

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
