import { formatHex } from "../../base/hex.ts";
import { harmlessJson } from "../../base/json.ts";
import { csvLine, csvText } from "../../base/printable.ts";
import type { HashedFile } from "../hashed-file.ts";
import { parquetWriter } from "./parquet-writer.ts";
import { type Column, formatTime, type RowWriter, type Table, toBoolean, type Value } from "./table.ts";

/** The formats of tables, and the ending of their files' names. */
export const tableFormats = { parquet: ".parquet", csv: ".csv", jsonl: ".jsonl", sql: ".sql" } as const;

export type TableFormat = keyof typeof tableFormats;

export function rowWriter(format: TableFormat, table: Table, file: HashedFile, createdBy: string): RowWriter {
  switch (format) {
    case "parquet":
      return parquetWriter(table, file, createdBy);
    case "csv":
      return csvWriter(table, file);
    case "jsonl":
      return { row: (values) => file.write(jsonLine(table.columns, values)), end: () => undefined };
    case "sql":
      return sqlWriter(table, file);
  }
}

/** For spreadsheets and people: cells as in JSON, texts as `csvText` has them. */
function csvWriter({ columns }: Table, file: HashedFile): RowWriter {
  const cell = (value: Value, column: Column): string | null => {
    const plain = jsonCell(value, column);
    if (typeof plain === "string" && column.type === "text") return csvText(plain);
    return plain === null ? null : String(plain);
  };
  file.write(csvLine(columns.map(({ name }) => name)));
  return { row: (values) => file.write(csvLine(columns.map((column, i) => cell(values[i] ?? null, column)))), end: () => undefined };
}

function jsonLine(columns: readonly Column[], values: readonly Value[]): string {
  const row = Object.fromEntries(columns.map((column, i) => [column.name, jsonCell(values[i] ?? null, column)]));
  return `${harmlessJson(row)}\n`;
}

/** Integers that a double holds exactly are JSON numbers, larger ones and every u64 are text; bytes are `0x` hex, times ISO. */
function jsonCell(value: Value, { type }: Column): string | number | boolean | null {
  if (value === null) return null;
  if (value instanceof Uint8Array) return `0x${formatHex(value)}`;
  if (type === "boolean") return toBoolean(value);
  const whole = type === "time" ? formatTime(value) : value;
  if (typeof whole !== "bigint") return whole;
  return type !== "u64" && Number.isSafeInteger(Number(whole)) ? Number(whole) : whole.toString();
}

/** Rows of one INSERT: below the limits of every database, few enough statements. */
const ROWS_PER_INSERT = 500;

/** A script in SQLite's words that makes the table and fills it: one transaction. u64 values are text, times ISO text. */
function sqlWriter({ name, columns }: Table, file: HashedFile): RowWriter {
  const types = { text: "TEXT", integer: "INTEGER", u64: "TEXT", bytes: "BLOB", boolean: "BOOLEAN", time: "TEXT" } as const;
  const definitions = columns.map((column) => `  "${column.name}" ${types[column.type]}${column.isNullable ? "" : " NOT NULL"}`);
  file.write(`BEGIN;\nCREATE TABLE IF NOT EXISTS "${name}" (\n${definitions.join(",\n")}\n);\n`);
  let count = 0;
  return {
    row: (values) => {
      const begins = count % ROWS_PER_INSERT === 0;
      if (begins && count > 0) file.write(";\n");
      file.write(begins ? `INSERT INTO "${name}" VALUES\n` : ",\n");
      file.write(`(${values.map((value, i) => sqlValue(value, columns[i] as Column)).join(", ")})`);
      count += 1;
    },
    end: () => file.write(count > 0 ? ";\nCOMMIT;\n" : "COMMIT;\n"),
  };
}

const UNPRINTABLE = /[\p{Cc}\u2028\u2029\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\u061c]/u;

function sqlValue(value: Value, { type }: Column): string {
  if (value === null) return "NULL";
  if (value instanceof Uint8Array) return `x'${formatHex(value)}'`;
  if (type === "boolean") return toBoolean(value) ? "TRUE" : "FALSE";
  if (type === "time") return `'${formatTime(value)}'`;
  if (typeof value !== "string") return type === "u64" ? `'${value}'` : value.toString();
  // A text that a terminal would act on is written as its bytes.
  return UNPRINTABLE.test(value) ? `CAST(x'${formatHex(Buffer.from(value, "utf8"))}' AS TEXT)` : `'${value.replaceAll("'", "''")}'`;
}
