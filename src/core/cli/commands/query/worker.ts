import { text } from "node:stream/consumers";
import type { Cell } from "../../../base/cell.ts";
import { plural } from "../../../base/plural.ts";
import { databaseAt } from "../../../db/engine/database-at.ts";
import {
  cellOf,
  EMPTINESS,
  type Emptiness,
  type QueryResult,
  requireDistinct,
  type SqlSession,
  UNDERIVED,
} from "../../../db/engine/sql-session.ts";
import { type Query, watchMemory } from "../../../questions/query-process.ts";
import { type Io, rowsToCome } from "../../io.ts";
import { printRows, type RowFormat, type RowPrinter, rowPrinter } from "../../output/rows.ts";

/** Answers one `Query`, as JSON on stdin, with its rows. */
export async function runQueryWorker(io: Io): Promise<void> {
  const query = JSON.parse(await text(process.stdin)) as Query;
  const stop = query.memoryMib === undefined ? undefined : await watchMemory(query.memoryMib);
  await answerQuery(io, query);
  stop?.();
}

/** Asks a database and prints the rows. `timeoutMs` is how long a server may work on it. */
export async function answerQuery(io: Io, query: Query, timeoutMs?: number): Promise<void> {
  await using session = await databaseAt(query.path).openToQuery({ timeoutMs });
  const { columns, rows } = await ask(session, query);
  const printer = printerOf(query.format, columns, query.width ?? undefined);
  const { isCut, isNothing } = await printAnswer(io, printer, rows, query.maxRows);
  if (printer.isNarrowed?.()) io.stderr("movedex: long cells end in … to fit the terminal; `| cat` prints them whole.\n");
  if (isCut) io.stderr(`movedex: stopped after ${plural(query.maxRows, "row")}; there are more. --max-rows 0 prints all.\n`);
  const emptiness = (await cellOf(session, EMPTINESS)) as Emptiness | null;
  if (emptiness === "unfinished" || (emptiness === "nothing" && isNothing)) io.stderr(`movedex: ${emptinessNotes[emptiness]}\n`);
  io.stderr(rowsToCome(Number(await cellOf(session, UNDERIVED))) ?? "");
}

const emptinessNotes = {
  unfinished: "the first snapshot is not finished; the views stay empty until it is sealed. `movedex sync` continues it.",
  nothing: "the database has no snapshot yet, so most views are empty. `movedex sync` takes the first one.",
} as const;

/** Asks with values that are texts: a whole number that the database can hold is bound as one, so that `ledger_version = :v` finds it. */
export function ask({ query }: SqlSession, { sql, params }: Pick<Query, "sql" | "params">, isPlan = false): Promise<QueryResult> {
  const bound = Object.entries(params).map(([name, value]) => [name, /^-?(?:0|[1-9]\d{0,17})$/.test(value) ? BigInt(value) : value]);
  return query(sql, bound.length === 0 ? [] : Object.fromEntries(bound), isPlan);
}

/** @throws StoreError where a format has one value for a name, and two columns have the same */
export function printerOf(format: RowFormat, columns: readonly string[], width?: number): RowPrinter {
  if (format === "json" || format === "jsonl") requireDistinct(columns, ", or ask for CSV");
  return rowPrinter(format, columns, width);
}

/** What was printed: whether there are more rows, and whether there was nothing but zeros, as of `count(*)`. */
type Printed = { readonly isCut: boolean; readonly isNothing: boolean };

/** Prints at most `maxRows` rows; 0 is no limit. */
export async function printAnswer(
  io: Pick<Io, "stdout"> & Partial<Pick<Io, "isReaderGone">>,
  printer: RowPrinter,
  rows: QueryResult["rows"],
  maxRows: number,
): Promise<Printed> {
  let count = 0;
  const printed = { isCut: false, isNothing: true };
  const chosen = async function* (): AsyncGenerator<readonly Cell[]> {
    for await (const row of rows) {
      if (maxRows > 0 && count === maxRows) {
        printed.isCut = true;
        return;
      }
      count++;
      printed.isNothing &&= row.every((cell) => cell === null || cell === 0n);
      yield row;
    }
  };
  await printRows(io, printer, chosen());
  return printed;
}
