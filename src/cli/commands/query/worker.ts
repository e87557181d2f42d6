import { text } from "node:stream/consumers";
import { Command } from "commander";
import { readPlace } from "../../../engine/place.ts";
import { watchMemory } from "../../../questions/memory-watch.ts";
import { QUERY_WORKER, type Query } from "../../../questions/query-process.ts";
import type { Io } from "../../io.ts";

/** The hidden command behind `query`: reads one `Query` as JSON from stdin, prints the rows. */
export function queryWorkerCommand(io: Io): Command {
  return new Command(QUERY_WORKER).action(async () => {
    const { answerQuery } = await import("./answer.ts");
    const query = JSON.parse(await text(process.stdin)) as Query;
    const stop = query.memoryMib === undefined ? undefined : await watchMemory(query.memoryMib);
    await answerQuery(io, { ...query, path: readPlace(query.path, {}) }, query.timeoutMs);
    stop?.();
  });
}
