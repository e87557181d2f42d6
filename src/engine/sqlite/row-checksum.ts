import type { Database } from "better-sqlite3";
import { formatHex } from "../../base/hex.ts";
import { sha256Hex } from "../../base/sha256.ts";
import { writeChecksum } from "../../schema/sql/checksum.ts";
import type { TableData } from "../../schema/table.ts";

type Value = string | number | bigint | Uint8Array;

/** 48 bits: a number that no language rounds. */
const HEX_DIGITS = 12;
const END = "\u001f";

/** Teaches a connection the function that the word `checksum` calls: PostgreSQL has what it takes, SQLite has no hash. */
export function addChecksumFunction(database: Database): void {
  const options = { varargs: true, deterministic: true, directOnly: true, safeIntegers: true } as const;
  database.function("movedex_checksum", options, (names: unknown, ...values: unknown[]) => {
    const text = (names as string)
      .split(" ")
      .map((name, index) => (values[index] === null ? "" : `${name}=${textOf(values[index] as Value)}${END}`))
      .join("");
    return BigInt(`0x${sha256Hex(text).slice(0, HEX_DIGITS)}`);
  });
}

function textOf(value: Value): string {
  return value instanceof Uint8Array ? formatHex(value) : `${value}`;
}

/** Writes the checksum of a row, by the values of the table's key in their order. Belongs into the transaction that wrote the row. */
export function prepareChecksum<K extends (bigint | number | string)[]>(database: Database, table: TableData): (...key: K) => void {
  const write = database.prepare<[Record<string, bigint | number | string>]>(writeChecksum(table).in("sqlite"));
  return (...key) => {
    write.run(Object.fromEntries(table.key.map((name, index) => [name, key[index] as bigint | number | string])));
  };
}
