import { text } from "node:stream/consumers";
import { Command } from "commander";
import type { Io } from "../../io.ts";
import type { Query } from "./answer.ts";
import { QUERY_WORKER } from "./run.ts";

/** The hidden command behind `query`: reads one `Query` as JSON from stdin, prints the rows. */
export function queryWorkerCommand(io: Io): Command {
  return new Command(QUERY_WORKER).action(async () => {
    const { answerQuery } = await import("./answer.ts");
    await answerQuery(io, JSON.parse(await text(process.stdin)) as Query);
  });
}
