import { closing } from "../../../base/closing.ts";
import { databaseAt } from "../../../engine/database-at.ts";
import type { Query, QueryFormat } from "../../../questions/query-process.ts";
import type { Io } from "../../io.ts";
import { printPieces } from "../../output/pieces.ts";
import { plainValue, type RowPrinter } from "../../output/row-printer.ts";
import { rowPrinter } from "../../output/rows.ts";
import { rowsToCome } from "../../output/rows-to-come.ts";
import { addressHint } from "./address-hint.ts";

/** Asks a database and prints the rows. `timeoutMs` is how long a server may work on it. */
export async function answerQuery(io: Io, query: Query, timeoutMs?: number): Promise<void> {
  await using door = closing(await databaseAt(query.path).openToQuery({ timeoutMs }));
  const params = Object.fromEntries(Object.entries(query.params).map(([name, value]) => [name, asNumber(value)]));
  const { columns, rows } = await door.query(query.sql, Object.keys(params).length === 0 ? [] : params);
  const count = await printRows(io, query.maxRows, printerOf(query.format, columns, query.width), rows);
  const hint = count === 0 ? addressHint(query.sql, query.params) : undefined;
  if (hint !== undefined) io.stderr(`movedex: no row was found; ${hint}\n`);
  if (await door.isFirstUnfinished())
    io.stderr("movedex: the first snapshot is not finished, and until it is sealed the views are empty; `movedex sync` continues it.\n");
  io.stderr(rowsToCome(await door.underived()) ?? "");
}

/** Prints at most `maxRows` rows, 0 for all; gives how many it printed. */
async function printRows(
  io: Io,
  maxRows: number,
  writer: RowPrinter,
  rows: AsyncIterable<Parameters<RowPrinter["row"]>[0]>,
): Promise<number> {
  const pieces = printPieces(io);
  await pieces.add(writer.begin());
  let count = 0;
  let isCut = false;
  for await (const row of rows) {
    if (maxRows > 0 && count === maxRows) {
      isCut = true;
      break;
    }
    count += 1;
    const taken = pieces.add(writer.row(row));
    if (taken !== undefined) await taken;
  }
  await pieces.add(writer.end());
  await pieces.end();
  if (writer.isNarrowed()) io.stderr("movedex: long cells end in … to fit the terminal; --wide prints them whole.\n");
  if (isCut) io.stderr(`movedex: stopped after ${maxRows} rows; there are more. --max-rows 0 prints all.\n`);
  return count;
}

function printerOf(format: QueryFormat, columns: readonly string[], width: number | null): RowPrinter {
  if (format !== "lists") return rowPrinter(format, columns, width ?? undefined);
  const line = (cells: readonly unknown[]): string => `${JSON.stringify(cells)}\n`;
  return { begin: () => line(columns), row: (cells) => line(cells.map(plainValue)), end: () => "", isNarrowed: () => false };
}

/** A whole number that the database can hold is bound as one, so that `ledger_version = :v` finds it. */
function asNumber(value: string): string | bigint {
  return /^-?(?:0|[1-9]\d{0,17})$/.test(value) ? BigInt(value) : value;
}
