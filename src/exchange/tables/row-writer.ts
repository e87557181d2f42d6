import { csvLine, csvText } from "../../base/csv.ts";
import { formatHex } from "../../base/hex.ts";
import type { HashedFile } from "../hashed-file.ts";
import { harmlessJson } from "../json-text.ts";
import { parquetWriter } from "./parquet-writer.ts";
import type { Column, RowWriter, Table, Value } from "./table.ts";

/** The formats of tables, and the ending of their files' names. */
export const tableFormats = { parquet: ".parquet", csv: ".csv", jsonl: ".jsonl", sql: ".sql" } as const;

/** The name of a format of tables. */
export type TableFormat = keyof typeof tableFormats;

/** Begins a table in a file. */
export function rowWriter(format: TableFormat, table: Table, file: HashedFile, createdBy: string): RowWriter {
  switch (format) {
    case "parquet":
      return parquetWriter(table, file, createdBy);
    case "csv":
      return csvWriter(table, file);
    case "jsonl":
      return { row: (values) => file.write(`${harmlessJson(jsonRow(table.columns, values))}\n`), end: () => undefined };
    case "sql":
      return sqlWriter(table, file);
  }
}

/** For spreadsheets and people: bytes are `0x` hex, texts as `csvText` has them. */
function csvWriter({ columns }: Table, file: HashedFile): RowWriter {
  const cell = (value: Value): string | null => {
    if (value === null) return null;
    if (value instanceof Uint8Array) return `0x${formatHex(value)}`;
    return typeof value === "string" ? csvText(value) : value.toString();
  };
  file.write(csvLine(columns.map(({ name }) => name)));
  return { row: (values) => file.write(csvLine(values.map(cell))), end: () => undefined };
}

/** Integers that a double holds exactly are JSON numbers, larger ones and every u64 are text; bytes are `0x` hex. */
function jsonRow(columns: readonly Column[], values: readonly Value[]): Record<string, string | number | null> {
  const cell = (value: Value, column: Column): string | number | null => {
    if (value instanceof Uint8Array) return `0x${formatHex(value)}`;
    if (typeof value !== "bigint") return value;
    return column.type !== "u64" && Number.isSafeInteger(Number(value)) ? Number(value) : value.toString();
  };
  return Object.fromEntries(columns.map((column, i) => [column.name, cell(values[i] ?? null, column)]));
}

/** Rows of one INSERT: below the limits of every database, few enough statements. */
const ROWS_PER_INSERT = 500;

/** A script in SQLite's words that makes the table and fills it: one transaction. u64 values are text. */
function sqlWriter({ name, columns }: Table, file: HashedFile): RowWriter {
  const types = { text: "TEXT", integer: "INTEGER", u64: "TEXT", bytes: "BLOB" } as const;
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
  if (typeof value !== "string") return type === "u64" ? `'${value}'` : value.toString();
  // A text that a terminal would act on is written as its bytes.
  return UNPRINTABLE.test(value) ? `CAST(x'${formatHex(Buffer.from(value, "utf8"))}' AS TEXT)` : `'${value.replaceAll("'", "''")}'`;
}
