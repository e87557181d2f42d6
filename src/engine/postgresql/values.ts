import { type Kind, kinds } from "../../schema/kinds.ts";
import type { Cell, Value } from "../engine.ts";

/** What is sent: text that the server reads by the parameter's type, or bytes. */
export type Sent = string | Uint8Array | null;

/** The type that a parameter is declared as in the statement; undefined where the server finds it out. */
export function castOf(value: Value, kind: Kind | undefined): string | undefined {
  if (kind !== undefined) return kinds[kind].postgresql;
  if (typeof value === "number") return Number.isInteger(value) ? "bigint" : "double precision";
  if (typeof value === "bigint") return "bigint";
  if (typeof value === "boolean") return "boolean";
  return value instanceof Uint8Array ? "bytea" : undefined;
}

/** A parameter as it is sent. */
export function sendValue(value: Value, kind: Kind | undefined): Sent {
  if (value === null || value instanceof Uint8Array) return value;
  return textOf(value, kind);
}

/** Reads a field of a row by the type that the server says it is of. */
export function cellReader(oid: number): (text: string) => Cell {
  return readers[oid] ?? asText;
}

function textOf(value: Value, kind: Kind | undefined): string {
  if (kind === "time" && typeof value === "number") return new Date(value).toISOString();
  if (kind === "bool" && typeof value === "number") return value === 0 ? "false" : "true";
  if (typeof value === "number" && Number.isInteger(value) && !Number.isSafeInteger(value)) {
    throw new RangeError(`${value} cannot be kept exactly as a number: whole ones above 2^53 − 1 have to be bigint.`);
  }
  return String(value);
}

const asText = (text: string): Cell => text;
const asInteger = (text: string): Cell => {
  const number = Number(text);
  return Number.isSafeInteger(number) ? number : BigInt(text);
};

// By the numbers of the types in pg_type. Times come in UTC and bytes in hex, as the transaction asks.
const readers: Readonly<Record<number, (text: string) => Cell>> = {
  16: (text) => (text === "t" ? 1 : 0),
  17: (text) => Buffer.from(text.slice(2), "hex"),
  20: asInteger,
  21: asInteger,
  23: asInteger,
  26: asInteger,
  700: Number,
  701: Number,
  1184: (text) => Date.parse(`${text.slice(0, 10)}T${text.slice(11, -3)}Z`),
};
