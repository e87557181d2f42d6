import { Option } from "commander";
import type { Cell, RowPrinter } from "./row-printer.ts";
import { jsonValue, rowPrinter, rowsText } from "./rows.ts";

/** How a command prints a list for programs: as one document, or as a line for each entry. */
export type ListOutput = { readonly json?: boolean; readonly jsonl?: boolean };

export const jsonArrayOption = (): Option => new Option("--json", "print one JSON array").conflicts("jsonl");
export const jsonLinesOption = ["--jsonl", "print one JSON object per line"] as const;

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
