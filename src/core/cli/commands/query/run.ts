import { once } from "node:events";
import { formatDuration } from "../../../base/time.ts";
import { databaseAt } from "../../../db/engine/database-at.ts";
import { StoreError } from "../../../db/engine/errors.ts";
import { exitCodes } from "../../../exit-codes.ts";
import { type Query, startQuery, wantedMemory } from "../../../questions/query-process.ts";
import type { Io } from "../../io.ts";

const STDERR_MAX = 100_000;

/** Asks a database and prints the rows, for at most `timeoutMs`; `isJson`: and a failure as JSON. Gives the exit code. */
export async function runQuery(io: Io, query: Query, timeoutMs: number, isJson = false): Promise<number> {
  if (!databaseAt(query.path).stopsStatements) return await askInProcess(io, query, timeoutMs, isJson);
  const { answerQuery } = await import("./worker.ts");
  await answerQuery(io, query, timeoutMs);
  return exitCodes.done.code;
}

/**
 * Asks in a second process and ends that process when the time is over: SQLite works on the thread that calls it, and
 * nothing on that thread can stop a statement that is still looking for its first row.
 */
async function askInProcess(io: Io, query: Query, timeoutMs: number, isJson: boolean): Promise<number> {
  const worker = startQuery(query, isJson ? ["--json"] : []);
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
  const end = () => worker.kill("SIGKILL");
  process.once("exit", end);
  // Held back: of a process that ran out of memory it is a trace that says nothing to a reader.
  let stderr = "";
  worker.stderr.setEncoding("utf8").on("data", (text: string) => {
    if (stderr.length < STDERR_MAX) stderr += text;
  });
  worker.stdout.setEncoding("utf8");
  for await (const text of worker.stdout) {
    await io.stdout(text as string);
    if (io.isReaderGone()) end();
  }
  const [code] = await exited;
  process.off("exit", end);
  overdue.abort();
  if (io.isReaderGone()) return exitCodes.done.code;
  if (isOverdue) {
    const message = `the query took longer than ${formatDuration(timeoutMs)} and was stopped. Narrow it, or raise --timeout.`;
    throw new StoreError("MOVEDEX_STORE_TIMEOUT", message);
  }
  if (code !== 0 && wantedMemory(stderr)) {
    const message = "the query was stopped: it needed more than about 600 MiB of memory. Narrow it, or ask for fewer columns.";
    throw new StoreError("MOVEDEX_STORE_QUERY_SIZE", message);
  }
  io.stderr(stderr);
  return code ?? exitCodes.failed.code;
}
