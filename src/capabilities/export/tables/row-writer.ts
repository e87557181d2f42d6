import type { Cell } from "../../../core/base/cell.ts";
import { harmlessJson } from "../../../core/base/json.ts";
import { csvLine, csvText } from "../../../core/base/printable.ts";
import type { HashedFile } from "../drafts.ts";
import { parquetWriter } from "./parquet-writer.ts";
import { type Column, cellsOf, formatTime, type RowWriter, type Table, toBoolean } from "./table.ts";

/** The formats of tables, and the ending of their files' names. */
export const tableFormats = { parquet: ".parquet", csv: ".csv", jsonl: ".jsonl" } as const;

export type TableFormat = keyof typeof tableFormats;

export function rowWriter(format: TableFormat, table: Table, file: HashedFile, createdBy: string): RowWriter {
  switch (format) {
    case "parquet":
      return parquetWriter(table, file, createdBy);
    case "csv":
      return csvWriter(table, file);
    case "jsonl":
      return jsonWriter(table, file);
  }
}

/** For spreadsheets and people: cells as in JSON, texts as `csvText` has them. */
function csvWriter({ columns }: Table, file: HashedFile): RowWriter {
  const cell = (value: Cell, column: Column): string | null => {
    const plain = jsonCell(value, column);
    if (typeof plain === "string" && column.type === "text") return csvText(plain);
    return plain === null ? null : String(plain);
  };
  file.write(csvLine(columns.map(({ name }) => name)));
  const cells = cellsOf(columns);
  const line = (row: readonly Cell[]) => csvLine(cells(row).map((value, i) => cell(value, columns[i] as Column)));
  return { rows: (rows) => file.write(rows.map(line).join("")), end: () => undefined };
}

function jsonWriter({ columns }: Table, file: HashedFile): RowWriter {
  const cells = cellsOf(columns);
  const line = (row: readonly Cell[]) => {
    const values = cells(row);
    return `${harmlessJson(Object.fromEntries(columns.map((column, i) => [column.name, jsonCell(values[i] ?? null, column)])))}\n`;
  };
  return { rows: (rows) => file.write(rows.map(line).join("")), end: () => undefined };
}

/** Integers that a double holds exactly are JSON numbers, larger ones and every u64 are text; times are ISO. */
function jsonCell(value: Cell, { type }: Column): string | number | boolean | null {
  if (value === null) return null;
  if (type === "boolean") return toBoolean(value);
  const whole = type === "time" ? formatTime(value) : (value as string | number | bigint);
  if (typeof whole !== "bigint") return whole;
  return type !== "u64" && Number.isSafeInteger(Number(whole)) ? Number(whole) : whole.toString();
}
