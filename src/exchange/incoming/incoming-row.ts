import { parseHex } from "../../base/hex.ts";
import { printable } from "../../base/printable.ts";
import { U64_MAX } from "../../base/u64.ts";
import { pathError } from "../exchange-error.ts";
import type { Column, Table, Value } from "../tables/table.ts";

/**
 * A file's row as a table's values, in the order of columns. A nullable column that the file lacks is null; unknown columns are
 * ignored. @throws ExchangeError `MOVEDEX_IMPORT_DAMAGED` if a value does not fit its column
 */
export function toRow(row: Readonly<Record<string, unknown>>, table: Table, path: string): Value[] {
  return table.columns.map((column) => {
    const value = Object.hasOwn(row, column.name) ? toValue(row[column.name], column) : null;
    if (value !== undefined && (value !== null || column.isNullable)) return value;
    const text = `a row of \`${path}\` has \`${printable(String(row[column.name]), 60)}\` as \`${column.name}\`, which is not a value of that column. Nothing was imported.`;
    throw pathError(path, "MOVEDEX_IMPORT_DAMAGED", text, { column: column.name });
  });
}

const DECIMAL = /^-?(?:0|[1-9]\d{0,19})$/;
const ISO = /^(?:\d{4}|[+-]\d{6})-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/**
 * Converts a value to its column's type: u64 to text, booleans to 1 or 0, times to milliseconds; undefined if that is impossible.
 * Exports of schema versions 1 and 2 have booleans and times as numbers already.
 */
function toValue(value: unknown, { type }: Column): Value | undefined {
  if (value === null || value === undefined) return null;
  switch (type) {
    case "text":
      return typeof value === "string" ? value : undefined;
    case "bytes":
      return value instanceof Uint8Array ? value : typeof value === "string" && value.startsWith("0x") ? parseHex(value) : undefined;
    case "integer":
      return toInteger(value);
    case "u64": {
      const whole = toWhole(value);
      return whole !== undefined && whole >= 0n && whole <= U64_MAX ? whole.toString() : undefined;
    }
    case "boolean": {
      const whole = typeof value === "boolean" ? BigInt(value) : toWhole(value);
      return whole === 0n || whole === 1n ? whole : undefined;
    }
    case "time": {
      if (typeof value !== "string" || !ISO.test(value)) return toInteger(value);
      const ms = Date.parse(value);
      return Number.isNaN(ms) ? undefined : BigInt(ms);
    }
  }
}

function toInteger(value: unknown): bigint | undefined {
  const whole = toWhole(value);
  return whole !== undefined && BigInt.asIntN(64, whole) === whole ? whole : undefined;
}

function toWhole(value: unknown): bigint | undefined {
  const isWhole = typeof value === "bigint" || Number.isSafeInteger(value) || (typeof value === "string" && DECIMAL.test(value));
  return isWhole ? BigInt(value as bigint | number | string) : undefined;
}
