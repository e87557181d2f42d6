import { text } from "node:stream/consumers";
import { formatBytes } from "../../../base/plural.ts";
import { StoreError } from "../../../engine/errors.ts";
import type { QueryDoor } from "../../../engine/query-door.ts";
import { MovedexError } from "../../../errors.ts";
import { watchMemory } from "../../../questions/memory-watch.ts";
import {
  NO_MEMORY,
  type PostedAnswer,
  type PostedQuery,
  type Query,
  type QueryPost,
  type Taken,
} from "../../../questions/query-messages.ts";
import type { Io } from "../../io.ts";

/** Answers one `Query`, as JSON on stdin, with its rows; or, where a parent process posts questions, one after another. */
export async function runQueryWorker(io: Io): Promise<void> {
  if (process.send !== undefined) return answerPosts();
  const { answerQuery } = await import("./answer.ts");
  const query = JSON.parse(await text(process.stdin)) as Query;
  const stop = query.memoryMib === undefined ? undefined : await watchMemory(query.memoryMib);
  await answerQuery(io, query);
  stop?.();
}

/** Answers questions to a file until whoever asks is gone. */
async function answerPosts(): Promise<void> {
  const first = Promise.withResolvers<QueryPost>();
  const opening = first.promise.then(async ({ path, bytes, memoryMib }) => {
    if (memoryMib !== undefined) await watchMemory(memoryMib);
    const { databaseAt } = await import("../../../engine/database-at.ts");
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
    const [{ bytes, door }, { printAnswer }] = await Promise.all([opening, import("./answer.ts")]);
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
