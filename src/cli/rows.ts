import { formatHex } from "../base/hex.ts";
import { printable } from "../base/printable.ts";

/** A value as SQLite hands it over, integers as bigint so that none loses digits. */
export type Cell = string | number | bigint | Uint8Array | null;

/** How rows can be printed. */
export const rowFormats = ["table", "json", "jsonl", "csv"] as const;
export type RowFormat = (typeof rowFormats)[number];

/**
 * Turns rows into text, one format each. `begin` gives what comes before the first row, `row` one row's text, `end`
 * what comes after the last; a table is kept until its end, since its widths depend on every row.
 */
export type RowWriter = {
  readonly begin: () => string;
  readonly row: (cells: readonly Cell[]) => string;
  readonly end: () => string;
};

/** A writer of rows with these columns. JSON keys are the column names; see `jsonValue` and `plainValue` for the cells. */
export function rowWriter(format: RowFormat, columns: readonly string[]): RowWriter {
  switch (format) {
    case "table":
      return tableWriter(columns);
    case "csv":
      return { begin: () => csvLine(columns), row: (cells) => csvLine(cells.map(plainValue)), end: () => "" };
    case "jsonl":
      return { begin: () => "", row: (cells) => `${jsonObject(columns, cells)}\n`, end: () => "" };
    case "json": {
      let separator = "[\n";
      return {
        begin: () => "",
        row: (cells) => {
          const text = `${separator}${jsonObject(columns, cells)}`;
          separator = ",\n";
          return text;
        },
        end: () => (separator === "[\n" ? "[]\n" : "\n]\n"),
      };
    }
  }
}

/** Columns padded to their widest cell, numbers to the right, a rule below the names. Control characters are escaped. */
function tableWriter(columns: readonly string[]): RowWriter {
  const names = columns.map((name) => printable(name, 80));
  const lines: { readonly text: string; readonly isNumber: boolean }[][] = [];
  return {
    begin: () => "",
    row: (cells) => {
      lines.push(
        cells.map((cell) => ({ text: printable(plainValue(cell), 1000), isNumber: typeof cell === "number" || typeof cell === "bigint" })),
      );
      return "";
    },
    end: () => {
      const widths = names.map((name, i) => lines.reduce((width, line) => Math.max(width, line[i]?.text.length ?? 0), name.length));
      const pad = (text: string, i: number, right: boolean) => (right ? text.padStart(widths[i] ?? 0) : text.padEnd(widths[i] ?? 0));
      const head = names.map((name, i) => pad(name, i, lines.length > 0 && lines.every((line) => line[i]?.isNumber))).join("  ");
      const rule = widths.map((width) => "-".repeat(width)).join("  ");
      const body = lines.map((line) =>
        line
          .map((cell, i) => pad(cell.text, i, cell.isNumber))
          .join("  ")
          .trimEnd(),
      );
      return `${[head.trimEnd(), rule, ...body].join("\n")}\n`;
    },
  };
}

function csvLine(cells: readonly string[]): string {
  return `${cells.map((cell) => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(",")}\r\n`;
}

function jsonObject(columns: readonly string[], cells: readonly Cell[]): string {
  return JSON.stringify(Object.fromEntries(columns.map((name, i) => [name, jsonValue(cells[i] ?? null)])));
}

/** Integers that a double holds exactly are JSON numbers, larger ones text; bytes are `0x` hex. */
function jsonValue(cell: Cell): string | number | null {
  if (typeof cell === "bigint") return Number.isSafeInteger(Number(cell)) ? Number(cell) : cell.toString();
  return cell instanceof Uint8Array ? `0x${formatHex(cell)}` : cell;
}

/** NULL is empty, bytes are `0x` hex. */
function plainValue(cell: Cell): string {
  if (cell === null) return "";
  return cell instanceof Uint8Array ? `0x${formatHex(cell)}` : String(cell);
}
