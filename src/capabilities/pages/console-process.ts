import { type ChildProcess, spawn } from "node:child_process";
import { setPriority } from "node:os";
import { boundedCommand, type Query, type QueryBounds, watchedMib } from "../../core/questions/query-process.ts";

/** The hidden command that answers the questions of the pages in a process of its own. */
export const CONSOLE_WORKER = "console-worker";

/** What such a process is told when it begins. */
export type ConsolePost = {
  readonly path: string;
  /** Bytes that one piece of an answer may have. */
  readonly bytes: number;
  /** Resident memory in MiB above which the process ends itself, where the system does not see to it. */
  readonly memoryMib?: number | undefined;
};

/** A question to it. `lists`: rows as lists in JSON, a line each, the names of the columns first. */
export type PostedQuery = Pick<Query, "sql" | "maxRows" | "params"> & {
  readonly format: Query["format"] | "lists";
  readonly skip?: number;
  /** Whether to say how the database would answer, and not to. */
  readonly isPlan?: boolean;
  /** Bytes that the answer may have in all. */
  readonly bytes: number;
};

/** The piece of an answer was taken; the next one may be sent. */
export type Taken = { readonly taken: true };

/**
 * Its answer: pieces, each sent once the one before was taken, and then the end, with the bytes of memory that the process has by then; or
 * why there is no more: the code of the error, and what is to be said of the statement.
 */
export type PostedAnswer =
  | { readonly piece: Uint8Array }
  | { readonly hasMore: boolean; readonly memoryBytes: number }
  | { readonly code: string; readonly message: string };

/** About 220 MiB for a question of whoever reaches the service. */
const BOUNDS: QueryBounds = { dataKib: 800_000, heapMib: 96 };

/** Starts a process that answers questions to one file, one at a time, until it is ended; it ends when this one does. */
export function startConsole(post: Omit<ConsolePost, "memoryMib">): ChildProcess {
  const worker = spawn(...boundedCommand(CONSOLE_WORKER, BOUNDS), {
    stdio: ["ignore", "ignore", "pipe", "ipc"],
    serialization: "advanced",
  });
  worker.on("error", () => undefined);
  worker.send({ ...post, memoryMib: watchedMib(BOUNDS) } satisfies ConsolePost, () => undefined);
  if (worker.pid !== undefined) lowerPriority(worker.pid);
  return worker;
}

/** Everything else goes first. */
function lowerPriority(pid: number): void {
  try {
    setPriority(pid, 10);
  } catch {
    // It is over already, or the system does not allow it: then it runs as everything else.
  }
}
