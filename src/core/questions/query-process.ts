import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { setPriority } from "node:os";
import { Worker } from "node:worker_threads";
import { packageFile } from "../base/files.ts";

/** The hidden command that answers one question in a process of its own. */
export const QUERY_WORKER = "query-worker";

/** How the rows come back: as `movedex query` prints them, or as lists in JSON, a line each, the names of the columns first. */
export type QueryFormat = "table" | "json" | "jsonl" | "csv" | "lists";

export type Query = {
  readonly path: string;
  readonly sql: string;
  readonly format: QueryFormat;
  /** 0 for no limit. */
  readonly maxRows: number;
  readonly params: Readonly<Record<string, string>>;
  /** Characters in a line of the terminal that a table has to fit into, null for no limit. */
  readonly width: number | null;
  /** Resident memory in MiB above which the process ends itself, where the system does not see to it. */
  readonly memoryMib?: number | undefined;
};

/** What a process that answers one question after another is told when it begins. */
export type QueryPost = {
  readonly path: string;
  /** Bytes that one piece of an answer may have. */
  readonly bytes: number;
  readonly memoryMib?: number | undefined;
};

export type PostedQuery = Pick<Query, "sql" | "format" | "maxRows" | "params"> & {
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

/** The code of SQLite for want of memory, within the bounds that its process has. */
export const NO_MEMORY = "SQLITE_NOMEM";

/**
 * What a question may take of the machine. `dataKib`: kibibytes that the system gives its process; what Node.js sets aside for
 * itself without using it counts too, about 560 MiB. `heapMib`: those of them for JavaScript. `isLast`: everything else goes first.
 */
export type QueryBounds = { readonly dataKib: number; readonly heapMib: number; readonly isLast: boolean };

/** About 220 MiB for a question of whoever reaches the service, about 600 MiB for one of a person at a terminal. */
export const queryBounds = {
  console: { dataKib: 800_000, heapMib: 96, isLast: true },
  terminal: { dataKib: 1_200_000, heapMib: 384, isLast: false },
} as const satisfies Record<string, QueryBounds>;

/**
 * Starts a process that answers a question and hands it over: SQLite runs on the calling thread, where nothing can stop it. Linux
 * bounds its memory; elsewhere it ends itself (`watchMemory`).
 */
export function startQuery(query: Query, bounds: QueryBounds): ChildProcessWithoutNullStreams {
  const worker = spawn(...commandOf(bounds), { stdio: ["pipe", "pipe", "pipe"] });
  worker.stdin.on("error", () => undefined);
  worker.stdin.end(JSON.stringify({ ...query, memoryMib: memoryOf(bounds) } satisfies Query));
  return worker;
}

/** Starts a process that answers questions to one file, one at a time, until it is ended; it ends when this one does. */
export function startQueries(post: QueryPost, bounds: QueryBounds): ChildProcess {
  const worker = spawn(...commandOf(bounds), { stdio: ["ignore", "ignore", "pipe", "ipc"], serialization: "advanced" });
  worker.on("error", () => undefined);
  worker.send({ ...post, memoryMib: memoryOf(bounds) } satisfies QueryPost, () => undefined);
  if (bounds.isLast && worker.pid !== undefined) lowerPriority(worker.pid);
  return worker;
}

function commandOf({ heapMib, dataKib }: QueryBounds): [file: string, args: string[]] {
  const plain = [process.execPath, `--max-old-space-size=${heapMib}`, packageFile("bin/movedex.mjs"), QUERY_WORKER];
  const [file, ...args] = process.platform === "linux" ? bounded(plain, dataKib) : plain;
  return [file as string, args];
}

function memoryOf({ dataKib }: QueryBounds): number | undefined {
  return process.platform === "linux" ? undefined : Math.round(dataKib / 1024 / 2);
}

/** Whether a process that failed did so for want of memory: it said so, or was ended before it could say anything. */
export function wantedMemory(stderr: string): boolean {
  return stderr.includes(NO_MEMORY) || !stderr.split("\n").some((line) => line.startsWith("movedex: "));
}

/**
 * The shell sets the bound and becomes the process; what it runs are arguments and no part of its text. Where the system has `setpriv`,
 * the process ends with its parent, even in a statement that nothing else stops.
 */
function bounded([node, ...args]: readonly string[], dataKib: number): string[] {
  const withParent = "setpriv --pdeathsig KILL";
  const script = `ulimit -d ${dataKib} || exit; ${withParent} true 2>&- && exec ${withParent} "$0" "$@"; exec "$0" "$@"`;
  return ["/bin/sh", "-c", script, node as string, ...args];
}

function lowerPriority(pid: number): void {
  try {
    setPriority(pid, 10);
  } catch {
    // It is over already, or the system does not allow it: then it runs as everything else.
  }
}

const EVERY_MS = 20;

/**
 * Ends this process above so many MiB of resident memory, from a thread of its own, since the main one may be stuck in a
 * statement: for systems without such a bound. @returns what ends the watch, once it is kept
 */
export async function watchMemory(limitMib: number): Promise<() => void> {
  const code = `
    const { parentPort, workerData: { bytes, everyMs } } = require("node:worker_threads");
    setInterval(() => { if (process.memoryUsage.rss() > bytes) process.kill(process.pid, "SIGKILL"); }, everyMs);
    parentPort.postMessage("watching");`;
  const watch = new Worker(code, { eval: true, execArgv: [], workerData: { bytes: limitMib * 1024 * 1024, everyMs: EVERY_MS } });
  await once(watch, "message");
  watch.unref();
  return () => void watch.terminate();
}
