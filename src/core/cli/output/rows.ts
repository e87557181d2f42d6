import { formatHex } from "../../base/bytes.ts";
import type { Cell } from "../../base/cell.ts";
import { jsonText } from "../../base/json.ts";
import { csvLine, csvText, hangingText, printable } from "../../base/printable.ts";
import type { Io } from "../io.ts";
import { jsonLine } from "./json-line.ts";

/** Prints rows in one format: `begin` is the text before the first row, `row` the text of a row, `end` the text after the last. */
export type RowPrinter<Row = readonly Cell[]> = {
  readonly begin?: string;
  readonly row: (row: Row) => string;
  readonly end?: () => string;
  /** After the end: whether cells of a table were cut to fit. */
  readonly isNarrowed?: () => boolean;
};

/** NULL is empty, bytes are `0x` hex. */
export function plainValue(cell: Cell): string {
  if (cell === null) return "";
  return cell instanceof Uint8Array ? `0x${formatHex(cell)}` : String(cell);
}

/** Characters of a piece, about. */
const PIECE = 65_536;

/** Prints rows as they come, in pieces, and waits for a slow pipe: no more than a piece is held. Ends with the reader. */
export async function printRows<Row>(
  io: Pick<Io, "stdout"> & Partial<Pick<Io, "isReaderGone">>,
  printer: RowPrinter<Row>,
  rows: AsyncIterable<Row> | Iterable<Row>,
): Promise<void> {
  let piece = printer.begin ?? "";
  for await (const row of rows) {
    piece += printer.row(row);
    if (piece.length < PIECE) continue;
    await io.stdout(piece);
    if (io.isReaderGone?.()) return;
    piece = "";
  }
  await io.stdout(piece + (printer.end?.() ?? ""));
}

/**
 * Columns padded to their widest cell, numbers to the right, a rule below the names. Control characters are escaped. Rows are not kept:
 * each is added once to be measured, and printed when it comes again.
 */
export function measureTable(columns: readonly string[], width = Number.POSITIVE_INFINITY) {
  const names = columns.map((name) => printable(name, 80));
  const widest = names.map(() => 0);
  const isNumeric = names.map(() => true);
  let rows = 0;
  return {
    add: (cells: readonly Cell[]): void => {
      rows++;
      for (const [i, cell] of cells.entries()) {
        widest[i] = Math.max(widest[i] as number, shown(cell).length);
        if (!isNumber(cell)) isNumeric[i] = false;
      }
    },
    printer: (): RowPrinter => {
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
        begin:
          line(names.map((name, i) => pad(name, i, rows > 0 && (isNumeric[i] as boolean)))) + line(widths.map((one) => "-".repeat(one))),
        row: (cells) => line(cells.map((cell, i) => pad(shown(cell), i, isNumber(cell)))),
        isNarrowed: () => isNarrowed,
      };
    },
  };
}

/** A table that keeps its rows until its end. */
function tablePrinter(columns: readonly string[], width: number): Required<Omit<RowPrinter, "begin">> {
  const kept: (readonly Cell[])[] = [];
  const measure = measureTable(columns, width);
  let printer: RowPrinter | undefined;
  return {
    row: (cells) => {
      kept.push(cells);
      measure.add(cells);
      return "";
    },
    end: () => {
      printer = measure.printer();
      return (printer.begin ?? "") + kept.map(printer.row).join("");
    },
    isNarrowed: () => printer?.isNarrowed?.() === true,
  };
}

function recordPrinter(names: readonly string[], width: number): RowPrinter {
  const nameWidth = Math.max(...names.map((name) => name.length));
  let number = 0;
  return {
    row: (cells) => {
      const lines = names.map((name, i) => hangingText(`${name.padEnd(nameWidth)}  `, shown(cells[i] ?? null), width).trimEnd());
      return `${[`-- row ${++number}`, ...lines].join("\n")}\n`;
    },
  };
}

function shown(cell: Cell): string {
  return printable(plainValue(cell), 1000);
}

function isNumber(cell: Cell): boolean {
  return typeof cell === "number" || typeof cell === "bigint";
}

function lineWidth(widths: readonly number[]): number {
  return sum(widths) + COLUMN_GAP.length * (widths.length - 1);
}

/** A column that cannot have its whole width keeps this much. */
const NARROWEST = 8;

const COLUMN_GAP = "  ";

/**
 * How wide columns may be for a row of `width` characters, from their `natural` widths and those of their widest `cells`. Names
 * give way first, then the widest columns; a row gets longer before a column tells nothing.
 */
export function fitColumns(natural: readonly number[], cells: readonly number[], width: number): number[] {
  const room = width - COLUMN_GAP.length * (natural.length - 1);
  if (sum(natural) <= room) return [...natural];
  const widths = shrink(
    natural.map((one, i) => Math.min(one, Math.max(NARROWEST, cells[i] as number))),
    room,
  );
  let spare = Math.max(0, room - sum(widths));
  return widths.map((one, i) => {
    const more = Math.min(spare, (natural[i] as number) - one);
    spare -= more;
    return one + more;
  });
}

/** The widest columns made narrower, all to one width, until the row fits or they are at their narrowest. */
function shrink(wanted: readonly number[], room: number): number[] {
  let most = Math.max(...wanted);
  const cut = (): number[] => wanted.map((one) => Math.min(one, most));
  while (most > NARROWEST && sum(cut()) > room) most--;
  return cut();
}

/** A text in at most that number of characters: an address or a hash loses its middle, other texts their end. */
export function cutText(text: string, width: number): string {
  if (text.length <= width) return text;
  if (/^(?:0x)?[0-9a-f]{16,}$/.test(text) && width >= 12) {
    const tail = Math.floor((width - 3) / 2);
    return `${text.slice(0, width - 1 - tail)}…${text.slice(-tail)}`;
  }
  return `${text.slice(0, width - 1)}…`;
}

function sum(list: readonly number[]): number {
  return list.reduce((total, one) => total + one, 0);
}

export const rowFormats = ["table", "json", "jsonl", "csv"] as const;
export type RowFormat = (typeof rowFormats)[number];

/**
 * A printer of rows with these columns. A table is fitted into `width` characters and printed at its end, since its widths depend on
 * every row. `jsonValue`, `csvValue` and `plainValue` make the cells.
 */
export function rowPrinter(format: RowFormat, columns: readonly string[], width = Number.POSITIVE_INFINITY): RowPrinter {
  if (format === "table") return tablePrinter(columns, width);
  if (format === "csv") return { begin: csvLine(columns.map(csvText)), row: (cells) => csvLine(cells.map(csvValue)) };
  const { row, ...printer } = jsonPrinter(format);
  return { ...printer, row: (cells) => row(Object.fromEntries(columns.map((name, i) => [name, jsonValue(cells[i] ?? null)]))) };
}

/** A printer of objects, as one array or a line each. */
export function jsonPrinter(format: "json" | "jsonl"): RowPrinter<unknown> {
  if (format === "jsonl") return { row: jsonLine };
  let separator = "[\n";
  return {
    row: (value) => {
      const text = `${separator}${jsonText(value)}`;
      separator = ",\n";
      return text;
    },
    end: () => (separator === "[\n" ? "[]\n" : "\n]\n"),
  };
}

/** Rows as a table of at most `width` characters, if that can be; nothing without rows. */
export function tableText(columns: readonly string[], rows: readonly (readonly Cell[])[], width: number): string {
  if (rows.length === 0) return "";
  const { row, end } = tablePrinter(columns, width);
  for (const cells of rows) row(cells);
  return end();
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
