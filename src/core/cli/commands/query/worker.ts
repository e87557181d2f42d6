import { text } from "node:stream/consumers";
import type { Cell } from "../../../base/cell.ts";
import { formatBytes } from "../../../base/plural.ts";
import { databaseAt } from "../../../db/engine/database-at.ts";
import { StoreError } from "../../../db/engine/errors.ts";
import { cellOf, EMPTINESS, type Emptiness, type QueryDoor, requireDistinct, UNDERIVED } from "../../../db/engine/query-door.ts";
import { MovedexError } from "../../../errors.ts";
import {
  NO_MEMORY,
  type PostedAnswer,
  type PostedQuery,
  type Query,
  type QueryFormat,
  type QueryPost,
  type Taken,
  watchMemory,
} from "../../../questions/query-process.ts";
import { type Io, rowsToCome } from "../../io.ts";
import { plainValue, printRows, type RowPrinter, rowPrinter } from "../../output/rows.ts";

/** Answers one `Query`, as JSON on stdin, with its rows; or, where a parent process posts questions, one after another. */
export async function runQueryWorker(io: Io): Promise<void> {
  if (process.send !== undefined) return answerPosts();
  const query = JSON.parse(await text(process.stdin)) as Query;
  const stop = query.memoryMib === undefined ? undefined : await watchMemory(query.memoryMib);
  await answerQuery(io, query);
  stop?.();
}

async function answerPosts(): Promise<void> {
  const first = Promise.withResolvers<QueryPost>();
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
  const post = (message: QueryPost | PostedQuery | Taken): void => {
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
    const { isCut } = await printAnswer({ stdout, stderr: () => undefined }, { ...query, width: null }, door);
    return { hasMore: isCut, memoryBytes: process.memoryUsage.rss() };
  } catch (error) {
    if (!(error instanceof MovedexError)) return { code: "", message: "" };
    return { code: error.facts["sqliteCode"] === NO_MEMORY ? NO_MEMORY : error.code, message: error.message };
  }
}

/** Asks a database and prints the rows. `timeoutMs` is how long a server may work on it. */
export async function answerQuery(io: Io, query: Query, timeoutMs?: number): Promise<void> {
  await using door = await databaseAt(query.path).openToQuery({ timeoutMs });
  const { isCut, isNothing } = await printAnswer(io, query, door);
  if (isCut) io.stderr(`movedex: stopped after ${query.maxRows} rows; there are more. --max-rows 0 prints all.\n`);
  const emptiness = (await cellOf(door, EMPTINESS)) as Emptiness | null;
  if (emptiness === "unfinished" || (emptiness === "nothing" && isNothing)) io.stderr(`movedex: ${emptinessNotes[emptiness]}\n`);
  io.stderr(rowsToCome(Number(await cellOf(door, UNDERIVED))) ?? "");
}

const emptinessNotes = {
  unfinished: "the first snapshot is not finished; the views stay empty until it is sealed. `movedex sync` continues it.",
  nothing: "the database has no snapshot yet, so most views are empty. `movedex sync` takes the first one.",
} as const;

/** What was printed: whether there are more rows, and whether there was nothing but zeros, as of `count(*)`. */
type Printed = { readonly isCut: boolean; readonly isNothing: boolean };

export async function printAnswer(
  io: Pick<Io, "stdout" | "stderr"> & Partial<Pick<Io, "isReaderGone">>,
  { sql, params: given, maxRows, format, width, skip = 0, isPlan = false }: Omit<Query, "path"> & Omit<PostedQuery, "bytes">,
  door: QueryDoor,
): Promise<Printed> {
  const params = Object.fromEntries(Object.entries(given).map(([name, value]) => [name, asNumber(value)]));
  const { columns, rows } = await door.query(sql, Object.keys(params).length === 0 ? [] : params, isPlan);
  if (format === "json" || format === "jsonl") requireDistinct(columns, ", or ask for CSV");
  const printer = printerOf(format, columns, width);
  let count = 0;
  const printed = { isCut: false, isNothing: true };
  const chosen = async function* (): AsyncGenerator<readonly Cell[]> {
    let left = skip;
    for await (const row of rows) {
      if (left-- > 0) continue;
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
  if (printer.isNarrowed?.()) io.stderr("movedex: long cells end in … to fit the terminal; `| cat` prints them whole.\n");
  return printed;
}

function printerOf(format: QueryFormat, columns: readonly string[], width: number | null): RowPrinter {
  if (format !== "lists") return rowPrinter(format, columns, width ?? undefined);
  const line = (cells: readonly unknown[]): string => `${JSON.stringify(cells)}\n`;
  return { begin: line(columns), row: (cells) => line(cells.map(plainValue)) };
}

/** A whole number that the database can hold is bound as one, so that `ledger_version = :v` finds it. */
function asNumber(value: string): string | bigint {
  return /^-?(?:0|[1-9]\d{0,17})$/.test(value) ? BigInt(value) : value;
}
