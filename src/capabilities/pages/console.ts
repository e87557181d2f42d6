import type { ChildProcess } from "node:child_process";
import { on, once } from "node:events";
import { isIPv6 } from "node:net";
import { printable } from "../../core/base/printable.ts";
import { formatDuration } from "../../core/base/time.ts";
import { NO_MEMORY, wantedMemory } from "../../core/questions/query-process.ts";
import { FairPlaces } from "../serve/http/bounds.ts";
import { type PostedAnswer, type PostedQuery, startConsole, type Taken } from "./console-process.ts";

/** Limits of one query: time, rows and bytes of a page; time and bytes of a download that has begun within the page's time. */
export const consoleLimits = {
  timeMs: 10_000,
  pageRows: 1000,
  bytes: 16 * 1024 * 1024,
  fileMs: 60_000,
  fileBytes: 512 * 1024 * 1024,
} as const;

/** Questions that are answered at once, and as many files that are sent; those that wait, and that wait of one client. */
const PLACES = 2;
const WAITING = 32;
const WAITING_OF_ONE = 3;
/** Memory above which a process is not kept. */
const KEPT_BYTES = 192 * 1024 * 1024;

/** Why there is no answer, with the status that says so. */
type Problem = { readonly problem: string; readonly status: number };
/** Whether there were more rows than wanted, and how long it took. */
type Ended = { readonly hasMore: boolean; readonly ms: number };
export type ConsoleAnswer = (Ended & { readonly text: string }) | Problem;
/** The bytes of a file as its rows are read. Where it cannot go on it ends with an error: no part is taken for the whole. */
export type ConsoleFile = { readonly body: ReadableStream<Uint8Array> } | Problem;
export type Question = Omit<PostedQuery, "bytes">;

/** Answers questions in processes of their own that are kept from one to the next, within the console's limits. */
export class Console {
  readonly #path: string;
  readonly #timeMs: number;
  readonly #places = new FairPlaces(PLACES, WAITING, WAITING_OF_ONE);
  /** Apart: whoever reads a file slowly keeps no question waiting. */
  readonly #files = new FairPlaces(PLACES, WAITING, WAITING_OF_ONE);
  #idle: ChildProcess[] = [];
  readonly #all = new Set<ChildProcess>();
  #isClosed = false;

  constructor(path: string, timeMs: number = consoleLimits.timeMs) {
    this.#path = path;
    this.#timeMs = timeMs;
  }

  /** Has a process ready for the next question: to start one takes a part of the question's time. */
  warm(): void {
    if (!this.#isClosed && this.#idle.length === 0 && this.#all.size <= PLACES) this.#idle.push(this.#start());
  }

  /** Asks for a client, which others do not have to wait for. Never rejects because of what was asked. */
  async ask(question: Question, client: string, signal: AbortSignal): Promise<ConsoleAnswer> {
    const pieces: Uint8Array[] = [];
    const take = async (piece: Uint8Array): Promise<void> => void pieces.push(piece);
    const query = { ...question, bytes: consoleLimits.bytes };
    const answer = await this.#places.run(network(client), () => this.#answer(query, signal, take));
    if (typeof answer === "string") return problems[answer];
    return "problem" in answer ? answer : { ...answer, text: Buffer.concat(pieces).toString("utf8") };
  }

  /** Asks for a file; given once its first bytes are there. It ends when its reader goes. */
  async file(question: Question, client: string, signal: AbortSignal): Promise<ConsoleFile> {
    const begun = Promise.withResolvers<ConsoleFile>();
    const { readable: body, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const [writer, left] = [writable.getWriter(), new AbortController()];
    writer.closed.catch(() => left.abort());
    const take = async (piece: Uint8Array): Promise<void> => {
      begun.resolve({ body });
      await writer.write(piece);
    };
    const send = async () => {
      const query = { ...question, bytes: consoleLimits.fileBytes };
      const answer = await this.#answer(query, AbortSignal.any([signal, left.signal]), take, consoleLimits.fileMs);
      begun.resolve("problem" in answer ? answer : { body });
      await ("problem" in answer ? writer.abort(new Error(answer.problem)) : writer.close()).catch(() => undefined);
      return answer;
    };
    this.#files.run(network(client), send).then((answer) => {
      if (typeof answer === "string") begun.resolve(problems[answer]);
    }, begun.reject);
    return await begun.promise;
  }

  close(): void {
    this.#isClosed = true;
    for (const worker of this.#all) worker.kill("SIGKILL");
  }

  #start(): ChildProcess {
    const worker = startConsole({ path: this.#path, bytes: consoleLimits.bytes });
    this.#all.add(worker);
    worker.once("close", () => {
      this.#all.delete(worker);
      this.#idle = this.#idle.filter((other) => other !== worker);
    });
    // The service ends when it is told to, whatever processes it keeps.
    worker.unref();
    worker.channel?.unref();
    return worker;
  }

  /** Asks a process; each piece of the answer is taken before the next is made. `restMs` is the time for all that follows the first. */
  async #answer(
    query: PostedQuery,
    signal: AbortSignal,
    take: (piece: Uint8Array) => Promise<void>,
    restMs?: number,
  ): Promise<Ended | Problem> {
    if (signal.aborted) return problems.gone;
    const begun = performance.now();
    const worker = this.#idle.pop() ?? this.#start();
    let stopped: Problem | undefined;
    const stop = (why: Problem): void => {
      stopped ??= why;
      worker.kill("SIGKILL");
    };
    const clockOf = (ms: number): NodeJS.Timeout => setTimeout(() => stop(problems.tooLong), ms);
    let [clock, isFirst] = [clockOf(this.#timeMs), true];
    const leave = (): void => stop(problems.gone);
    signal.addEventListener("abort", leave);
    let stderr = "";
    const talk = (chunk: Buffer): void => {
      if (stderr.length < 10_000) stderr += chunk.toString();
    };
    worker.stderr?.on("data", talk);
    const over = new AbortController();
    try {
      const messages = on(worker, "message", { signal: over.signal, close: ["close"] }) as AsyncIterable<[PostedAnswer]>;
      const ended = once(worker, "close", { signal: over.signal });
      ended.catch(() => undefined);
      worker.send(query, () => undefined);
      for await (const [answer] of messages) {
        if (stopped !== undefined) return stopped;
        if ("code" in answer) {
          const fault = faultOf(answer);
          if (fault === undefined) worker.kill("SIGKILL");
          return fault ?? (answer.code === NO_MEMORY ? problems.tooLarge : problems.away);
        }
        if ("hasMore" in answer) {
          if (answer.memoryBytes > KEPT_BYTES) worker.kill("SIGKILL");
          return { hasMore: answer.hasMore, ms: performance.now() - begun };
        }
        if (isFirst && restMs !== undefined) {
          clearTimeout(clock);
          clock = clockOf(restMs);
        }
        isFirst = false;
        // A reader that is gone takes nothing, and one that is slow has no longer than the clock.
        await Promise.race([take(answer.piece).catch(leave), ended]);
        worker.send({ taken: true } satisfies Taken, () => undefined);
      }
      return stopped ?? (wantedMemory(stderr) ? problems.tooLarge : problems.away);
    } finally {
      over.abort();
      clearTimeout(clock);
      signal.removeEventListener("abort", leave);
      worker.stderr?.off("data", talk);
      if (worker.connected && !worker.killed) this.#idle.push(worker);
      else this.warm();
    }
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

/** What is wrong with a statement, in the database's words; undefined for other failures, after which its process is not asked again. */
function faultOf({ code, message }: { readonly code: string; readonly message: string }): Problem | undefined {
  const problem = printable(message, 1500);
  if (code === "MOVEDEX_STORE_QUERY") return { status: 400, problem };
  return code === "MOVEDEX_STORE_QUERY_SIZE" ? { status: 422, problem } : undefined;
}

/** Whom an address stands for: of IPv6 one client has a network of 64 bits. */
function network(client: string): string {
  if (!isIPv6(client) || client.startsWith("::ffff:")) return client;
  const [head = "", tail] = (URL.parse(`http://[${client.replace(/%.*$/, "")}]`)?.hostname.slice(1, -1) ?? client).split("::");
  const groups = head === "" ? [] : head.split(":");
  const last = tail === undefined || tail === "" ? [] : tail.split(":");
  return [...groups, ...Array.from({ length: 8 - groups.length - last.length }, () => "0"), ...last].slice(0, 4).join(":");
}
