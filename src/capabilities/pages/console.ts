import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { isIPv6 } from "node:net";
import { setPriority } from "node:os";
import { formatBytes } from "../../core/base/plural.ts";
import { printable } from "../../core/base/printable.ts";
import { formatDuration } from "../../core/base/time.ts";
import { boundedCommand, NO_MEMORY, type Query, type QueryBounds, wantedMemory, watchedMib } from "../../core/questions/query-process.ts";
import { fairPlaces } from "../serve/http/bounds.ts";

/** A question, as its process gets it. `lists`: rows as lists in JSON, a line each, the names of the columns first. */
export type ConsoleQuery = Omit<Query, "format" | "width"> & {
  readonly format: Query["format"] | "lists";
  readonly skip?: number;
  /** Whether to say how the database would answer, and not to. */
  readonly isPlan?: boolean;
};

/** How an answer ended: whether there is more of it; or why there is none, by an error's code and in words about the statement. */
export type ConsoleEnd = { readonly hasMore: boolean } | { readonly code: string; readonly message: string };

/** About 220 MiB for a question of whoever reaches the service. */
const BOUNDS: QueryBounds = { dataKib: 800_000, heapMib: 96 };

/** Limits of one query: time, rows and bytes of a page; time and bytes of a download that has begun within the page's time. */
export const consoleLimits = {
  timeMs: 10_000,
  pageRows: 1000,
  bytes: 16 * 1024 * 1024,
  fileMs: 60_000,
  fileBytes: 512 * 1024 * 1024,
} as const;

const STDERR_MAX = 10_000;

/** Questions that are answered at once, and as many files that are sent; those that wait, and that wait of one client. */
const PLACES = 2;
const WAITING = 32;
const WAITING_OF_ONE = 3;
/** Why there is no answer, with the status that says so. */
type Problem = { readonly problem: string; readonly status: number };
/** Whether there were more rows than wanted, and how long it took. */
type Ended = { readonly hasMore: boolean; readonly ms: number };
export type ConsoleAnswer = (Ended & { readonly text: string }) | Problem;
/** The bytes of a file as its rows are read. Where it cannot go on it ends with an error: no part is taken for the whole. */
export type ConsoleFile = { readonly body: ReadableStream<Uint8Array> } | Problem;
export type Question = Omit<ConsoleQuery, "path" | "memoryMib">;

type Take = (piece: Uint8Array) => Promise<void>;

export type Console = ReturnType<typeof openConsole>;

/** Answers each question about the file at `path` in a process of its own, within the console's limits. */
export function openConsole(path: string, timeMs: number = consoleLimits.timeMs) {
  const places = fairPlaces(PLACES, WAITING, WAITING_OF_ONE);
  // Apart: whoever reads a file slowly keeps no question waiting.
  const filePlaces = fairPlaces(PLACES, WAITING, WAITING_OF_ONE);
  const all = new Set<ChildProcessWithoutNullStreams>();
  /** One that has begun and waits for a question: to start it takes a part of the question's time. */
  let spare: ChildProcessWithoutNullStreams | undefined;
  let isClosed = false;

  const start = (): ChildProcessWithoutNullStreams => {
    const worker = spawn(...boundedCommand(["console-worker"], BOUNDS), { stdio: ["pipe", "pipe", "pipe"] });
    worker.on("error", () => undefined);
    worker.stdin.on("error", () => undefined);
    all.add(worker);
    worker.once("close", () => {
      all.delete(worker);
      if (spare === worker) spare = undefined;
    });
    if (worker.pid !== undefined) lowerPriority(worker.pid);
    return worker;
  };
  const warm = (): void => {
    if (!isClosed) spare ??= start();
  };

  /** Asks a process; each piece of the answer is taken before the next is read. `restMs` is the time for all that follows the first. */
  const answer = async (question: Question, signal: AbortSignal, take: Take, bytes: number, restMs?: number): Promise<Ended | Problem> => {
    if (signal.aborted) return problems.gone;
    const begun = performance.now();
    const worker = spare ?? start();
    spare = undefined;
    let stopped: Problem | undefined;
    const stop = (why: Problem): void => {
      stopped ??= why;
      worker.kill("SIGKILL");
    };
    const leave = (): void => stop(problems.gone);
    signal.addEventListener("abort", leave);
    let clock = setTimeout(stop, timeMs, problems.tooLong);
    const [exited, closed] = ["exit", "close"].map((event) => once(worker, event).catch(() => undefined));
    let [size, stderr] = [0, ""];
    worker.stderr.setEncoding("utf8").on("data", (words: string) => {
      if (stderr.length < STDERR_MAX) stderr += words;
    });
    worker.stdin.end(JSON.stringify({ ...question, path, memoryMib: watchedMib(BOUNDS) } satisfies ConsoleQuery));
    try {
      for await (const piece of worker.stdout as AsyncIterable<Uint8Array>) {
        if (size === 0 && restMs !== undefined) {
          clearTimeout(clock);
          clock = setTimeout(stop, restMs, problems.tooLong);
        }
        size += piece.length;
        if (size > bytes) stop({ status: 422, problem: `The answer is larger than ${formatBytes(bytes)}. Ask for fewer rows or columns.` });
        if (stopped !== undefined) break;
        // A reader that is gone takes nothing, and one that is slow has no longer than the clock.
        await Promise.race([take(piece).catch(leave), exited]);
      }
      await closed;
      return stopped ?? outcomeOf(stderr, performance.now() - begun);
    } finally {
      clearTimeout(clock);
      signal.removeEventListener("abort", leave);
      worker.kill("SIGKILL");
      warm();
    }
  };

  return {
    /** Has a process ready for the next question. */
    warm,
    /** Asks for a client, which others do not have to wait for. Never rejects because of what was asked. */
    ask: async (question: Question, client: string, signal: AbortSignal): Promise<ConsoleAnswer> => {
      const pieces: Uint8Array[] = [];
      const take: Take = async (piece) => void pieces.push(piece);
      const ended = await places(network(client), () => answer(question, signal, take, consoleLimits.bytes));
      if (typeof ended === "string") return problems[ended];
      return "problem" in ended ? ended : { ...ended, text: Buffer.concat(pieces).toString("utf8") };
    },
    /** Asks for a file; given once its first bytes are there. It ends when its reader goes. */
    file: (question: Question, client: string, signal: AbortSignal): Promise<ConsoleFile> => {
      const begun = Promise.withResolvers<ConsoleFile>();
      const { readable: body, writable } = new TransformStream<Uint8Array, Uint8Array>();
      const [writer, left] = [writable.getWriter(), new AbortController()];
      writer.closed.catch(() => left.abort());
      const take: Take = async (piece) => {
        begun.resolve({ body });
        await writer.write(piece);
      };
      const send = async () => {
        const { fileBytes, fileMs } = consoleLimits;
        const ended = await answer(question, AbortSignal.any([signal, left.signal]), take, fileBytes, fileMs);
        begun.resolve("problem" in ended ? ended : { body });
        await ("problem" in ended ? writer.abort(new Error(ended.problem)) : writer.close()).catch(() => undefined);
        return ended;
      };
      filePlaces(network(client), send).then((ended) => {
        if (typeof ended === "string") begun.resolve(problems[ended]);
      }, begun.reject);
      return begun.promise;
    },
    close: (): void => {
      isClosed = true;
      for (const worker of all) worker.kill("SIGKILL");
    },
  };
}

/** Everything else goes first. */
function lowerPriority(pid: number): void {
  try {
    setPriority(pid, 10);
  } catch {
    // It is over already, or the system does not allow it: then it runs as everything else.
  }
}

const LONG = `It took longer than ${formatDuration(consoleLimits.timeMs)} and was stopped. Narrow it, or ask with \`movedex query\`.`;
const LARGE = "It needed more memory than one question of the console may take. Narrow it, or ask with `movedex query`.";

/** Why there is no answer. A failing database is not described: no address, user or path. */
const problems = {
  client: { status: 429, problem: "Your earlier questions are being answered. Ask again when they are." },
  all: { status: 503, problem: "Questions of others are being answered, and enough wait already. Try again in a few seconds." },
  gone: { status: 499, problem: "The connection was closed." },
  away: { status: 503, problem: "The database gives no answer at the moment. Try again in a few seconds." },
  tooLong: { status: 422, problem: LONG },
  tooLarge: { status: 422, problem: LARGE },
} as const;

/** What a process said as it ended. Of a failure only what is wrong with the statement is told. */
function outcomeOf(stderr: string, ms: number): Ended | Problem {
  const last = stderr.split("\n").at(-1) ?? "";
  if (!last.startsWith("{")) return wantedMemory(stderr) ? problems.tooLarge : problems.away;
  const said = JSON.parse(last) as ConsoleEnd;
  if ("hasMore" in said) return { ...said, ms };
  if (said.code === NO_MEMORY) return problems.tooLarge;
  return said.code === "MOVEDEX_STORE_QUERY" ? { status: 400, problem: printable(said.message, 1500) } : problems.away;
}

/** Whom an address stands for: of IPv6 one client has a network of 64 bits. */
function network(client: string): string {
  if (!isIPv6(client) || client.startsWith("::ffff:")) return client;
  const [head = "", tail] = (URL.parse(`http://[${client.replace(/%.*$/, "")}]`)?.hostname.slice(1, -1) ?? client).split("::");
  const groups = head === "" ? [] : head.split(":");
  const last = tail === undefined || tail === "" ? [] : tail.split(":");
  return [...groups, ...Array.from({ length: 8 - groups.length - last.length }, () => "0"), ...last].slice(0, 4).join(":");
}
