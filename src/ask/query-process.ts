import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { setPriority } from "node:os";
import { fileURLToPath } from "node:url";

/** The hidden command that answers one question in a process of its own. */
export const QUERY_WORKER = "query-worker";

/** How the rows come back: as `movedex query` prints them, or as lists in JSON, a line each, the names of the columns first. */
export type QueryFormat = "table" | "json" | "jsonl" | "csv" | "lists";

/** One question to a database. */
export type Query = {
  readonly path: string;
  readonly sql: string;
  readonly format: QueryFormat;
  /** 0 for no limit. */
  readonly maxRows: number;
  readonly params: Readonly<Record<string, string>>;
  /** Characters in a line of the terminal that a table has to fit into, null for no limit. */
  readonly width: number | null;
  /** How long a server may work on it. A file is read inside the process, which is ended. */
  readonly timeoutMs?: number;
};

/**
 * Kibibytes of memory that the system gives the process of a bounded question. What Node.js sets aside for itself without
 * using it counts too, about 560 MiB, so that about 220 MiB are left for the question.
 */
const DATA_KIB = 800_000;

/**
 * Starts a process that answers a question, and hands it over. SQLite works on the thread that calls it, and nothing on that
 * thread can stop a statement that is still looking for its first row; a process can be ended.
 *
 * `isBounded`: the system refuses it more than a fixed amount of memory, where it has a shell that can ask for that (not on
 * Windows), and everything else on the machine goes first.
 */
export function startQuery(query: Query, { isBounded }: { readonly isBounded: boolean }): ChildProcessWithoutNullStreams {
  const launcher = fileURLToPath(new URL("../../bin/movedex.mjs", import.meta.url));
  const plain = [process.execPath, launcher, QUERY_WORKER];
  const [file, ...args] = isBounded && process.platform !== "win32" ? bounded(plain) : plain;
  const worker = spawn(file as string, args, { stdio: ["pipe", "pipe", "pipe"] });
  worker.stdin.on("error", () => undefined);
  worker.stdin.end(JSON.stringify(query));
  if (isBounded && worker.pid !== undefined) lowerPriority(worker.pid);
  return worker;
}

/** The shell sets the bound and becomes the process; what it runs are arguments and no part of its text. */
function bounded([node, launcher, command]: readonly string[]): string[] {
  const script = `ulimit -d ${DATA_KIB} && exec "$0" --max-old-space-size=96 "$1" "$2"`;
  return ["/bin/sh", "-c", script, node as string, launcher as string, command as string];
}

function lowerPriority(pid: number): void {
  try {
    setPriority(pid, 10);
  } catch {
    // It is over already, or the system does not allow it: then it runs as everything else.
  }
}
