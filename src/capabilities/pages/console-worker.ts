import { text } from "node:stream/consumers";
import type { Cell } from "../../core/base/cell.ts";
import { ask, printAnswer, printerOf } from "../../core/cli/commands/query/worker.ts";
import type { Io } from "../../core/cli/io.ts";
import { plainValue, type RowPrinter } from "../../core/cli/output/rows.ts";
import { databaseAt } from "../../core/db/engine/database-at.ts";
import { MovedexError } from "../../core/errors.ts";
import { NO_MEMORY, watchMemory } from "../../core/questions/query-process.ts";
import type { ConsoleEnd, ConsoleQuery } from "./console.ts";

/** Answers one question, as JSON on stdin, with its rows on stdout, and says on stderr how that ended. */
export async function runConsoleWorker(io: Io): Promise<void> {
  const query = JSON.parse(await text(process.stdin)) as ConsoleQuery;
  const stop = query.memoryMib === undefined ? undefined : await watchMemory(query.memoryMib);
  io.stderr(JSON.stringify(await answer(io, query).catch(endOf)));
  stop?.();
}

async function answer(io: Io, query: ConsoleQuery): Promise<ConsoleEnd> {
  await using session = await databaseAt(query.path).openToQuery();
  const { columns, rows } = await ask(session, query, query.isPlan);
  const printer = query.format === "lists" ? listPrinter(columns) : printerOf(query.format, columns);
  const { isCut } = await printAnswer(io, printer, without(query.skip ?? 0, rows), query.maxRows);
  return { hasMore: isCut };
}

function endOf(error: unknown): ConsoleEnd {
  if (!(error instanceof MovedexError)) return { code: "", message: "" };
  return { code: error.facts["sqliteCode"] === NO_MEMORY ? NO_MEMORY : error.code, message: error.message };
}

function listPrinter(columns: readonly string[]): RowPrinter {
  const line = (cells: readonly unknown[]): string => `${JSON.stringify(cells)}\n`;
  return { begin: line(columns), row: (cells) => line(cells.map(plainValue)) };
}

async function* without(skipped: number, rows: AsyncIterable<readonly Cell[]>): AsyncGenerator<readonly Cell[]> {
  let left = skipped;
  for await (const row of rows) if (left-- <= 0) yield row;
}
