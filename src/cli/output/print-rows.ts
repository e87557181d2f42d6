import type { Io } from "../io.ts";
import type { Cell, RowPrinter } from "./row-printer.ts";

/** Characters of a piece, about. */
const PIECE = 65_536;

/** Prints rows as they come, in pieces, and waits for a slow pipe: no more than a piece is held. */
export async function printRows(io: Pick<Io, "stdout">, printer: RowPrinter, rows: AsyncIterable<readonly Cell[]>): Promise<void> {
  let piece = printer.begin();
  for await (const row of rows) {
    piece += printer.row(row);
    if (piece.length < PIECE) continue;
    await io.stdout(piece);
    piece = "";
  }
  await io.stdout(piece + printer.end());
}
