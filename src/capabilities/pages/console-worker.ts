import type { Cell } from "../../core/base/cell.ts";
import { formatBytes } from "../../core/base/plural.ts";
import { ask, printAnswer, printerOf } from "../../core/cli/commands/query/worker.ts";
import { plainValue, type RowPrinter } from "../../core/cli/output/rows.ts";
import { databaseAt } from "../../core/db/engine/database-at.ts";
import { StoreError } from "../../core/db/engine/errors.ts";
import type { QueryDoor } from "../../core/db/engine/query-door.ts";
import { MovedexError } from "../../core/errors.ts";
import { NO_MEMORY, watchMemory } from "../../core/questions/query-process.ts";
import type { ConsolePost, PostedAnswer, PostedQuery, Taken } from "./console-process.ts";

/** Answers the questions that the service posts, one after another. */
export async function runConsoleWorker(): Promise<void> {
  const first = Promise.withResolvers<ConsolePost>();
  const opening = first.promise.then(async ({ path, bytes, memoryMib }) => {
    if (memoryMib !== undefined) await watchMemory(memoryMib);
    return { bytes, door: await databaseAt(path).openToQuery() };
  });
  opening.catch(() => undefined);
  let taken = Promise.withResolvers<void>();
  const send = (answer: PostedAnswer): void => void process.send?.(answer, () => undefined);
  const sendPiece = async (piece: Uint8Array): Promise<void> => {
    taken = Promise.withResolvers();
    send({ piece });
    await taken.promise;
  };
  const post = (message: ConsolePost | PostedQuery | Taken): void => {
    if ("path" in message) first.resolve(message);
    else if ("taken" in message) taken.resolve();
    else void answerPost(message, opening, sendPiece).then(send);
  };
  const end = (): void => {
    opening.then(({ door }) => door.close()).finally(() => process.exit());
  };
  process.on("message", post).on("disconnect", end);
}

type Opened = { readonly bytes: number; readonly door: QueryDoor };

async function answerPost(
  query: PostedQuery,
  opening: Promise<Opened>,
  sendPiece: (piece: Uint8Array) => Promise<void>,
): Promise<PostedAnswer> {
  try {
    const { bytes, door } = await opening;
    let size = 0;
    const stdout = async (piece: string): Promise<void> => {
      size += piece.length;
      const most = piece.length > bytes ? bytes : query.bytes;
      if (Math.max(size, piece.length) > most)
        throw new StoreError("MOVEDEX_STORE_QUERY_SIZE", `the answer is larger than ${formatBytes(most)}. Ask for fewer rows or columns.`);
      await sendPiece(Buffer.from(piece));
    };
    const { columns, rows } = await ask(door, query, query.isPlan);
    const printer = query.format === "lists" ? listPrinter(columns) : printerOf(query.format, columns);
    const { isCut } = await printAnswer({ stdout }, printer, without(query.skip ?? 0, rows), query.maxRows);
    return { hasMore: isCut, memoryBytes: process.memoryUsage.rss() };
  } catch (error) {
    if (!(error instanceof MovedexError)) return { code: "", message: "" };
    return { code: error.facts["sqliteCode"] === NO_MEMORY ? NO_MEMORY : error.code, message: error.message };
  }
}

function listPrinter(columns: readonly string[]): RowPrinter {
  const line = (cells: readonly unknown[]): string => `${JSON.stringify(cells)}\n`;
  return { begin: line(columns), row: (cells) => line(cells.map(plainValue)) };
}

async function* without(skipped: number, rows: AsyncIterable<readonly Cell[]>): AsyncGenerator<readonly Cell[]> {
  let left = skipped;
  for await (const row of rows) if (left-- <= 0) yield row;
}
