import type { Kind } from "../../schema/kinds.ts";
import type { Cell, Value } from "../engine.ts";

/** What better-sqlite3 takes. */
export type Bound = string | number | bigint | Uint8Array | null;

/** A parameter as SQLite takes it. better-sqlite3 binds every number as a floating-point one, so whole ones go as bigint. */
export function bindValue(value: Value, kind: Kind | undefined): Bound {
  if (typeof value === "boolean") return value ? 1n : 0n;
  if (kind === "u64" && value !== null) return String(value);
  return typeof value === "number" && Number.isInteger(value) ? wholeNumber(value) : value;
}

/** A cell of a bulk load as SQLite takes it. A whole number may go as a floating-point one here: a column of integers makes it whole again. */
export function bindCell(value: unknown, kind: Kind): Bound {
  if (value === null || value === undefined) return null;
  if (kind === "u64") return String(value);
  if (kind === "bytes" && typeof value === "string") return Buffer.from(value, "hex");
  if (typeof value === "number" && !Number.isSafeInteger(value)) throw notExact(value);
  return typeof value === "boolean" ? Number(value) : (value as Bound);
}

/** A row as SQLite hands it over, its integers numbers where they are exact. Changed in place. */
export function plainRow(row: unknown[]): Cell[] {
  for (let i = 0; i < row.length; i++) {
    const value = row[i];
    if (typeof value !== "bigint") continue;
    const number = Number(value);
    if (Number.isSafeInteger(number)) row[i] = number;
  }
  return row as Cell[];
}

function wholeNumber(value: number): bigint {
  if (!Number.isSafeInteger(value)) throw notExact(value);
  return BigInt(value);
}

function notExact(value: number): RangeError {
  return new RangeError(`${value} cannot be kept exactly as a number: whole ones above 2^53 − 1 have to be bigint.`);
}
