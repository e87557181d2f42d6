import { hangingText } from "../../base/hanging-text.ts";
import { printable } from "../../base/printable.ts";
import { COLUMN_GAP, cutText, fitColumns } from "./fit-columns.ts";
import { type Cell, plainValue, type RowPrinter } from "./row-printer.ts";

/** The widths of a table whose rows are not kept: each row is added once to be measured, and printed when it comes again. */
export type TableMeasure = {
  readonly add: (cells: readonly Cell[]) => void;
  /** The printer of the rows that were added. */
  readonly printer: () => RowPrinter;
};

/** Columns padded to their widest cell, numbers to the right, a rule below the names. Control characters are escaped. */
export function measureTable(columns: readonly string[], width = Number.POSITIVE_INFINITY): TableMeasure {
  const names = columns.map((name) => printable(name, 80));
  const widest = names.map(() => 0);
  const isNumeric = names.map(() => true);
  let rows = 0;
  return {
    add: (cells) => {
      rows++;
      for (const [i, cell] of cells.entries()) {
        widest[i] = Math.max(widest[i] as number, shown(cell).length);
        if (!isNumber(cell)) isNumeric[i] = false;
      }
    },
    printer: () => {
      const natural = names.map((name, i) => Math.max(name.length, widest[i] as number));
      const widths = fitColumns(natural, widest, width);
      // Columns that cannot be made narrow enough would wrap in the middle of words: one value a line instead.
      if (rows > 0 && lineWidth(widths) > width) return recordPrinter(names, width);
      const isNarrowed = widths.some((one, i) => one < (natural[i] as number));
      const pad = (text: string, i: number, right: boolean) => {
        const cut = isNarrowed ? cutText(text, widths[i] ?? 0) : text;
        return right ? cut.padStart(widths[i] ?? 0) : cut.padEnd(widths[i] ?? 0);
      };
      const line = (parts: readonly string[]) => `${parts.join(COLUMN_GAP).trimEnd()}\n`;
      return {
        begin: () =>
          line(names.map((name, i) => pad(name, i, rows > 0 && (isNumeric[i] as boolean)))) + line(widths.map((one) => "-".repeat(one))),
        row: (cells) => line(cells.map((cell, i) => pad(shown(cell), i, isNumber(cell)))),
        end: () => "",
        isNarrowed: () => isNarrowed,
      };
    },
  };
}

/** A table that keeps its rows until its end. */
export function tablePrinter(columns: readonly string[], width: number): RowPrinter {
  const kept: (readonly Cell[])[] = [];
  const measure = measureTable(columns, width);
  let printer: RowPrinter | undefined;
  return {
    begin: () => "",
    row: (cells) => {
      kept.push(cells);
      measure.add(cells);
      return "";
    },
    end: () => {
      printer = measure.printer();
      return printer.begin() + kept.map(printer.row).join("");
    },
    isNarrowed: () => printer?.isNarrowed() === true,
  };
}

/** Rows as blocks: the number of a row, then a name and its value in each line. */
function recordPrinter(names: readonly string[], width: number): RowPrinter {
  const nameWidth = Math.max(...names.map((name) => name.length));
  let number = 0;
  return {
    begin: () => "",
    row: (cells) => {
      const lines = names.map((name, i) => hangingText(`${name.padEnd(nameWidth)}  `, shown(cells[i] ?? null), width).trimEnd());
      return `${[`-- row ${++number}`, ...lines].join("\n")}\n`;
    },
    end: () => "",
    isNarrowed: () => false,
  };
}

function shown(cell: Cell): string {
  return printable(plainValue(cell), 1000);
}

function isNumber(cell: Cell): boolean {
  return typeof cell === "number" || typeof cell === "bigint";
}

function lineWidth(widths: readonly number[]): number {
  return widths.reduce((sum, one) => sum + one, COLUMN_GAP.length * (widths.length - 1));
}
