import { formatHex } from "../../base/hex.ts";
import { visibleJson } from "../../base/json.ts";
import { csvLine, csvText } from "../../base/printable.ts";
import { type Cell, plainValue, type RowPrinter } from "./row-printer.ts";
import { tablePrinter } from "./table.ts";

export const rowFormats = ["table", "json", "jsonl", "csv"] as const;
export type RowFormat = (typeof rowFormats)[number];

type JsonOf = (name: string, cell: Cell) => unknown;

/**
 * A printer of rows with these columns. A table is fitted into `width` characters and printed at its end, since its widths depend on
 * every row. `jsonValue`, `csvValue` and `plainValue` make the cells.
 */
export function rowPrinter(
  format: RowFormat,
  columns: readonly string[],
  width = Number.POSITIVE_INFINITY,
  jsonOf: JsonOf = (_, cell) => jsonValue(cell),
): RowPrinter {
  const isNarrowed = () => false;
  switch (format) {
    case "table":
      return tablePrinter(columns, width);
    case "csv":
      return { begin: () => csvLine(columns.map(csvText)), row: (cells) => csvLine(cells.map(csvValue)), end: () => "", isNarrowed };
    case "jsonl":
      return { begin: () => "", row: (cells) => `${jsonObject(columns, cells, jsonOf)}\n`, end: () => "", isNarrowed };
    case "json": {
      let separator = "[\n";
      return {
        begin: () => "",
        row: (cells) => {
          const text = `${separator}${jsonObject(columns, cells, jsonOf)}`;
          separator = ",\n";
          return text;
        },
        end: () => (separator === "[\n" ? "[]\n" : "\n]\n"),
        isNarrowed,
      };
    }
  }
}

export function rowsText(printer: RowPrinter, rows: readonly (readonly Cell[])[]): string {
  return printer.begin() + rows.map(printer.row).join("") + printer.end();
}

/** Rows as a table of at most `width` characters, if that can be; nothing without rows. */
export function tableText(columns: readonly string[], rows: readonly (readonly Cell[])[], width: number): string {
  return rows.length === 0 ? "" : rowsText(tablePrinter(columns, width), rows);
}

function jsonObject(columns: readonly string[], cells: readonly Cell[], jsonOf: JsonOf): string {
  return visibleJson(JSON.stringify(Object.fromEntries(columns.map((name, i) => [name, jsonOf(name, cells[i] ?? null)]))));
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

/** How a command prints a list for programs: as one document, or as a line for each entry. */
export type ListOutput = { readonly json?: boolean; readonly jsonl?: boolean };

export function isForPrograms({ json, jsonl }: ListOutput): boolean {
  return json === true || jsonl === true;
}

/** Columns of ledger versions that are named for what stood there. */
const VERSIONS = new Set(["since", "last_read"]);

export function listPrinter({ json, jsonl }: ListOutput, columns: readonly string[], width?: number): RowPrinter {
  return rowPrinter(json === true ? "json" : jsonl === true ? "jsonl" : "table", columns, width, contractValue);
}

/** A list as text; nothing for a table without rows. */
export function listText(output: ListOutput, columns: readonly string[], rows: readonly (readonly Cell[])[], width: number): string {
  return rows.length > 0 || isForPrograms(output) ? rowsText(listPrinter(output, columns, width), rows) : "";
}

/** A value as `--json` has it everywhere: ledger versions are text since they may pass 2^53, conditions true or false. */
function contractValue(name: string, cell: Cell): unknown {
  if (cell === null) return null;
  if (VERSIONS.has(name) || /(?:^|_)version$/.test(name)) return String(cell);
  return /^(?:is|has)_/.test(name) ? Number(cell) !== 0 : jsonValue(cell);
}
