import { csvLine, csvText } from "../../base/csv.ts";
import { hangingText } from "../../base/hanging-text.ts";
import { formatHex } from "../../base/hex.ts";
import { visibleJson } from "../../base/json.ts";
import { printable } from "../../base/printable.ts";
import { COLUMN_GAP, cutText, fitColumns } from "./fit-columns.ts";

/** A value as SQLite hands it over, integers as bigint so that none loses digits. */
export type Cell = string | number | bigint | Uint8Array | null;

/** How rows can be printed. */
export const rowFormats = ["table", "json", "jsonl", "csv"] as const;
export type RowFormat = (typeof rowFormats)[number];

/**
 * Turns rows into text, one format each. `begin` gives what comes before the first row, `row` one row's text, `end`
 * what comes after the last; a table is kept until its end, since its widths depend on every row.
 */
export type RowPrinter = {
  readonly begin: () => string;
  readonly row: (cells: readonly Cell[]) => string;
  readonly end: () => string;
  /** After the end: whether cells of a table were cut to fit. */
  readonly isNarrowed: () => boolean;
};

/**
 * A printer of rows with these columns; a table is fitted into `width` characters. JSON keys are the column names; see
 * `jsonValue`, `csvValue` and `plainValue` for the cells.
 */
export function rowPrinter(format: RowFormat, columns: readonly string[], width = Number.POSITIVE_INFINITY): RowPrinter {
  const isNarrowed = () => false;
  switch (format) {
    case "table":
      return tablePrinter(columns, width);
    case "csv":
      return { begin: () => csvLine(columns.map(csvText)), row: (cells) => csvLine(cells.map(csvValue)), end: () => "", isNarrowed };
    case "jsonl":
      return { begin: () => "", row: (cells) => `${jsonObject(columns, cells)}\n`, end: () => "", isNarrowed };
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
        isNarrowed,
      };
    }
  }
}

/** Columns padded to their widest cell, numbers to the right, a rule below the names. Control characters are escaped. */
function tablePrinter(columns: readonly string[], width: number): RowPrinter {
  const names = columns.map((name) => printable(name, 80));
  let narrowed = false;
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
      const cells = names.map((_, i) => lines.reduce((widest, line) => Math.max(widest, line[i]?.text.length ?? 0), 0));
      const natural = names.map((name, i) => Math.max(name.length, cells[i] as number));
      const widths = fitColumns(natural, cells, width);
      // Columns that cannot be made narrow enough would wrap in the middle of words: one value a line instead.
      if (lines.length > 0 && lineWidth(widths) > width) return lines.map((line, i) => record(names, line, i + 1, width)).join("");
      narrowed = widths.some((one, i) => one < (natural[i] as number));
      const pad = (text: string, i: number, right: boolean) => {
        const cut = cutText(text, widths[i] ?? 0);
        return right ? cut.padStart(widths[i] ?? 0) : cut.padEnd(widths[i] ?? 0);
      };
      const head = names.map((name, i) => pad(name, i, lines.length > 0 && lines.every((line) => line[i]?.isNumber))).join(COLUMN_GAP);
      const rule = widths.map((one) => "-".repeat(one)).join(COLUMN_GAP);
      const body = lines.map((line) =>
        line
          .map((cell, i) => pad(cell.text, i, cell.isNumber))
          .join(COLUMN_GAP)
          .trimEnd(),
      );
      return `${[head.trimEnd(), rule, ...body].join("\n")}\n`;
    },
    isNarrowed: () => narrowed,
  };
}

function lineWidth(widths: readonly number[]): number {
  return widths.reduce((sum, one) => sum + one, COLUMN_GAP.length * (widths.length - 1));
}

/** A row as a block: its number, then a name and its value in each line. */
function record(names: readonly string[], cells: readonly { readonly text: string }[], number: number, width: number): string {
  const nameWidth = Math.max(...names.map((name) => name.length));
  const lines = names.map((name, i) => hangingText(`${name.padEnd(nameWidth)}  `, cells[i]?.text ?? "", width).trimEnd());
  return `${[`-- row ${number}`, ...lines].join("\n")}\n`;
}

function jsonObject(columns: readonly string[], cells: readonly Cell[]): string {
  return visibleJson(JSON.stringify(Object.fromEntries(columns.map((name, i) => [name, jsonValue(cells[i] ?? null)]))));
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

/** NULL is empty, bytes are `0x` hex. */
export function plainValue(cell: Cell): string {
  if (cell === null) return "";
  return cell instanceof Uint8Array ? `0x${formatHex(cell)}` : String(cell);
}
