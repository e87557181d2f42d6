import { formatHex } from "../../base/hex.ts";

/** A value as SQLite hands it over, integers as bigint so that none loses digits. */
export type Cell = string | number | bigint | Uint8Array | null;

/** Prints rows in one format: `begin` is the text before the first row, `row` the text of a row, `end` the text after the last. */
export type RowPrinter = {
  readonly begin: () => string;
  readonly row: (cells: readonly Cell[]) => string;
  readonly end: () => string;
  /** After the end: whether cells of a table were cut to fit. */
  readonly isNarrowed: () => boolean;
};

/** NULL is empty, bytes are `0x` hex. */
export function plainValue(cell: Cell): string {
  if (cell === null) return "";
  return cell instanceof Uint8Array ? `0x${formatHex(cell)}` : String(cell);
}
