import type { Cell } from "../../base/cell.ts";
import { formatHex } from "../../base/hex.ts";
import type { Io } from "../io.ts";

/** Prints rows in one format: `begin` is the text before the first row, `row` the text of a row, `end` the text after the last. */
export type RowPrinter<Row = readonly Cell[]> = {
  readonly begin: () => string;
  readonly row: (row: Row) => string;
  readonly end: () => string;
  /** After the end: whether cells of a table were cut to fit. */
  readonly isNarrowed: () => boolean;
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
  let piece = printer.begin();
  for await (const row of rows) {
    piece += printer.row(row);
    if (piece.length < PIECE) continue;
    await io.stdout(piece);
    if (io.isReaderGone?.()) return;
    piece = "";
  }
  await io.stdout(piece + printer.end());
}
