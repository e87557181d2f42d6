import type { Database } from "better-sqlite3";
import type { Cell } from "../../base/cell.ts";
import { formatHex } from "../../base/hex.ts";
import { sha256Hex } from "../../base/sha256.ts";
import { writeChecksum } from "../../schema/sql/checksum.ts";
import { workTables } from "../../schema/tables/work.ts";

type Value = NonNullable<Cell>;

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

/** Writes the checksum of the row of `_archive`. Belongs into the transaction that wrote the row. */
export function writeArchiveChecksum(database: Database): void {
  database.prepare(writeChecksum(workTables.archive).in("sqlite")).run({ id: 1 });
}
