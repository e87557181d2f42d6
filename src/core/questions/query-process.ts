import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { packageFile } from "../base/files.ts";

/** The hidden command that answers one question in a process of its own. */
export const QUERY_WORKER = "query-worker";

export type Query = {
  readonly path: string;
  readonly sql: string;
  readonly format: "table" | "json" | "jsonl" | "csv";
  /** 0 for no limit. */
  readonly maxRows: number;
  readonly params: Readonly<Record<string, string>>;
  /** Characters in a line of the terminal that a table has to fit into, null for no limit. */
  readonly width: number | null;
  /** Resident memory in MiB above which the process ends itself, where the system does not see to it. */
  readonly memoryMib?: number | undefined;
};

/** The code of SQLite for want of memory, within the bounds that its process has. */
export const NO_MEMORY = "SQLITE_NOMEM";

/**
 * What a question may take of the machine. `dataKib`: kibibytes that the system gives its process; what Node.js sets aside for
 * itself without using it counts too, about 560 MiB. `heapMib`: those of them for JavaScript.
 */
export type QueryBounds = { readonly dataKib: number; readonly heapMib: number };

/** About 600 MiB for a question of a person at a terminal. */
const TERMINAL: QueryBounds = { dataKib: 1_200_000, heapMib: 384 };

/** Starts a process that answers a question and hands it over: SQLite runs on the calling thread, where nothing can stop it. */
export function startQuery(query: Query, words: readonly string[] = []): ChildProcessWithoutNullStreams {
  const worker = spawn(...boundedCommand([QUERY_WORKER, ...words], TERMINAL), { stdio: ["pipe", "pipe", "pipe"] });
  worker.stdin.on("error", () => undefined);
  worker.stdin.end(JSON.stringify({ ...query, memoryMib: watchedMib(TERMINAL) } satisfies Query));
  return worker;
}

/** How a hidden command of this program is started within bounds. Linux bounds its memory. */
export function boundedCommand(words: readonly string[], { heapMib, dataKib }: QueryBounds): [file: string, args: string[]] {
  const plain = [process.execPath, `--max-old-space-size=${heapMib}`, packageFile("bin/movedex.mjs"), ...words];
  const [file, ...args] = process.platform === "linux" ? bounded(plain, dataKib) : plain;
  return [file as string, args];
}

/** Where the system does not bound the memory of a process, it is to end itself (`watchMemory`) above so many MiB. */
export function watchedMib({ dataKib }: QueryBounds): number | undefined {
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
