import { once } from "node:events";
import { type Query, startQuery } from "../../../ask/query-process.ts";
import { formatDuration } from "../../../base/duration.ts";
import { isPostgresAddress } from "../../../base/postgresql-address.ts";
import { exitCodes } from "../../../exit-codes.ts";
import type { Io } from "../../io.ts";

/** Asks a database and prints the rows, for at most `timeoutMs`. Gives the exit code. */
export async function runQuery(io: Io, query: Query, timeoutMs: number): Promise<number> {
  if (!isPostgresAddress(query.path)) return await askInProcess(io, query, timeoutMs);
  const { answerQuery } = await import("./answer.ts");
  await answerQuery(io, query, timeoutMs);
  return exitCodes.done.code;
}

/**
 * Asks in a second process and ends that process when the time is over: SQLite works on the thread that calls it, and
 * nothing on that thread can stop a statement that is still looking for its first row.
 */
async function askInProcess(io: Io, query: Query, timeoutMs: number): Promise<number> {
  const worker = startQuery(query, { isBounded: false });
  const overdue = new AbortController();
  let isOverdue = false;
  io.clock.sleep(timeoutMs, overdue.signal).then(
    () => {
      isOverdue = true;
      worker.kill("SIGKILL");
    },
    () => undefined,
  );
  const exited = once(worker, "close") as Promise<[number | null]>;
  // Who reads our output may go while the other process is still looking for its next row.
  const end = () => worker.kill("SIGKILL");
  process.once("exit", end);
  worker.stderr.setEncoding("utf8").on("data", io.stderr);
  worker.stdout.setEncoding("utf8");
  for await (const text of worker.stdout) await io.stdout(text as string);
  const [code] = await exited;
  process.off("exit", end);
  overdue.abort();
  if (isOverdue) {
    io.stderr(
      `movedex: the query took longer than ${formatDuration(timeoutMs)} and was stopped. Narrow it, or allow more with --timeout.\n`,
    );
    return exitCodes.failed.code;
  }
  return code ?? exitCodes.failed.code;
}
