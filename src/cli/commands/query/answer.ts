import { closing } from "../../../base/closing.ts";
import { databaseAt } from "../../../engine/database-at.ts";
import type { QueryDoor } from "../../../engine/query-door.ts";
import type { Query, QueryFormat } from "../../../questions/query-process.ts";
import type { Io } from "../../io.ts";
import { printPieces } from "../../output/pieces.ts";
import { plainValue, type RowPrinter } from "../../output/row-printer.ts";
import { rowPrinter } from "../../output/rows.ts";
import { rowsToCome } from "../../output/store-notices.ts";
import { addressHint } from "./address-hint.ts";

/** Asks a database and prints the rows. `timeoutMs` is how long a server may work on it. */
export async function answerQuery(io: Io, query: Query, timeoutMs?: number): Promise<void> {
  await using door = closing(await databaseAt(query.path).openToQuery({ timeoutMs }));
  const { count, isCut } = await printAnswer(io, query, door);
  if (isCut) io.stderr(`movedex: stopped after ${query.maxRows} rows; there are more. --max-rows 0 prints all.\n`);
  const hint = count === 0 ? addressHint(query.sql, query.params) : undefined;
  if (hint !== undefined) io.stderr(`movedex: no row was found; ${hint}\n`);
  if (await door.isFirstUnfinished())
    io.stderr("movedex: the first snapshot is not finished, and until it is sealed the views are empty; `movedex sync` continues it.\n");
  io.stderr(rowsToCome(await door.underived()) ?? "");
}

/** Asks what is open and prints the rows; gives how many, and whether there are more. */
export async function printAnswer(
  io: Pick<Io, "stdout" | "stderr">,
  { sql, params: given, maxRows, format, width }: Omit<Query, "path">,
  door: QueryDoor,
): Promise<{ readonly count: number; readonly isCut: boolean }> {
  const params = Object.fromEntries(Object.entries(given).map(([name, value]) => [name, asNumber(value)]));
  const { columns, rows } = await door.query(sql, Object.keys(params).length === 0 ? [] : params);
  return await printRows(io, maxRows, printerOf(format, columns, width), rows);
}

/** Prints at most `maxRows` rows, 0 for all. */
async function printRows(
  io: Pick<Io, "stdout" | "stderr">,
  maxRows: number,
  writer: RowPrinter,
  rows: AsyncIterable<Parameters<RowPrinter["row"]>[0]>,
): Promise<{ readonly count: number; readonly isCut: boolean }> {
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
  return { count, isCut };
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
