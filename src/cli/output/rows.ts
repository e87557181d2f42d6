import type { Cell } from "../../base/cell.ts";
import { formatHex } from "../../base/hex.ts";
import { csvLine, csvText } from "../../base/printable.ts";
import { jsonText } from "./json-line.ts";
import { plainValue, type RowPrinter, tablePrinter } from "./table.ts";

export const rowFormats = ["table", "json", "jsonl", "csv"] as const;
export type RowFormat = (typeof rowFormats)[number];

/**
 * A printer of rows with these columns. A table is fitted into `width` characters and printed at its end, since its widths depend on
 * every row. `jsonValue`, `csvValue` and `plainValue` make the cells.
 */
export function rowPrinter(format: RowFormat, columns: readonly string[], width = Number.POSITIVE_INFINITY): RowPrinter {
  if (format === "table") return tablePrinter(columns, width);
  if (format === "csv")
    return {
      begin: () => csvLine(columns.map(csvText)),
      row: (cells) => csvLine(cells.map(csvValue)),
      end: () => "",
      isNarrowed: () => false,
    };
  const { row, ...printer } = jsonPrinter(format);
  return { ...printer, row: (cells) => row(Object.fromEntries(columns.map((name, i) => [name, jsonValue(cells[i] ?? null)]))) };
}

/** A printer of objects, as one array or a line each. */
export function jsonPrinter(format: "json" | "jsonl"): RowPrinter<unknown> {
  const isNarrowed = () => false;
  if (format === "jsonl") return { begin: () => "", row: (value) => `${jsonText(value)}\n`, end: () => "", isNarrowed };
  let separator = "[\n";
  return {
    begin: () => "",
    row: (value) => {
      const text = `${separator}${jsonText(value)}`;
      separator = ",\n";
      return text;
    },
    end: () => (separator === "[\n" ? "[]\n" : "\n]\n"),
    isNarrowed,
  };
}

/** Rows as a table of at most `width` characters, if that can be; nothing without rows. */
export function tableText(columns: readonly string[], rows: readonly (readonly Cell[])[], width: number): string {
  if (rows.length === 0) return "";
  const printer = tablePrinter(columns, width);
  return printer.begin() + rows.map(printer.row).join("") + printer.end();
}

/** Integers that a double holds exactly are JSON numbers, larger ones text; bytes are `0x` hex. */
function jsonValue(cell: Cell): string | number | null {
  if (typeof cell === "bigint") return Number.isSafeInteger(Number(cell)) ? Number(cell) : cell.toString();
  return cell instanceof Uint8Array ? `0x${formatHex(cell)}` : cell;
}

/** Bytes are `0x` hex; texts are as `csvText` has them, numbers as they are. */
function csvValue(cell: Cell): string | null {
  if (cell === null) return null;
  return typeof cell === "string" ? csvText(cell) : plainValue(cell);
}
