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

/** Rows by which the widths of a table are chosen: so many are kept, and further ones printed as they come. */
const MEASURED_ROWS = 1000;

/**
 * Columns padded to their widest cell, numbers to the right, a rule below the names, in at most `width` characters if that can be. Control
 * characters are escaped.
 */
export function tablePrinter(columns: readonly string[], width: number): Required<Omit<RowPrinter, "begin">> {
  const names = columns.map((name) => printable(name, 80));
  let measured: (readonly Cell[])[] | undefined = [];
  let print: RowPrinter["row"] = () => "";
  let isNarrowed = false;

  /** Chooses how rows are printed, and prints those that are kept. */
  function begin(rows: readonly (readonly Cell[])[]): string {
    measured = undefined;
    const widest = names.map((_, i) => rows.reduce((most, cells) => Math.max(most, shown(cells[i] ?? null).length), 0));
    const widths = fitColumns(
      names.map((name, i) => Math.max(name.length, widest[i] as number)),
      widest,
      width,
    );
    // Columns that cannot be made narrow enough would wrap in the middle of words: one value a line instead.
    if (rows.length > 0 && sum(widths) + COLUMN_GAP.length * (widths.length - 1) > width) {
      print = recordPrinter(names, width);
      return rows.map(print).join("");
    }
    const padded = (text: string, i: number, isRight: boolean): string => {
      const room = widths[i] as number;
      const isCut = text.length > room && width !== Number.POSITIVE_INFINITY;
      isNarrowed ||= isCut;
      const fitted = isCut ? cutText(text, room) : text;
      return isRight ? fitted.padStart(room) : fitted.padEnd(room);
    };
    const line = (texts: readonly string[]): string => `${texts.join(COLUMN_GAP).trimEnd()}\n`;
    print = (cells) => line(cells.map((cell, i) => padded(shown(cell), i, isNumber(cell))));
    const isNumeric = names.map((_, i) => rows.length > 0 && rows.every((cells) => isNumber(cells[i] ?? null)));
    const header = line(names.map((name, i) => padded(name, i, isNumeric[i] as boolean)));
    return header + line(widths.map((one) => "-".repeat(one))) + rows.map(print).join("");
  }

  return {
    row: (cells) => {
      if (measured === undefined) return print(cells);
      return measured.push(cells) < MEASURED_ROWS ? "" : begin(measured);
    },
    end: () => (measured === undefined ? "" : begin(measured)),
    isNarrowed: () => isNarrowed,
  };
}

function recordPrinter(names: readonly string[], width: number): RowPrinter["row"] {
  const nameWidth = Math.max(...names.map((name) => name.length));
  let number = 0;
  return (cells) => {
    const lines = names.map((name, i) => hangingText(`${name.padEnd(nameWidth)}  `, shown(cells[i] ?? null), width).trimEnd());
    return `${[`-- row ${++number}`, ...lines].join("\n")}\n`;
  };
}

function shown(cell: Cell): string {
  return printable(plainValue(cell), 1000);
}

function isNumber(cell: Cell): boolean {
  return typeof cell === "number" || typeof cell === "bigint";
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

/** A printer of rows with these columns. A table is fitted into `width` characters. */
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
  return rows.map(row).join("") + end();
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
