import type { Kind } from "../kinds.ts";
import type { ViewColumnData, ViewColumnType } from "../views/view.ts";

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

export const kindOfView = {
  text: "text",
  integer: "int",
  u64: "u64",
  boolean: "bool",
  time: "time",
} as const satisfies Record<ViewColumnType, Kind>;

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

/** JSON as drivers hand it over: some have parsed it. */
export function parsedJson(stored: unknown): unknown {
  return typeof stored === "string" ? JSON.parse(stored) : stored;
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
