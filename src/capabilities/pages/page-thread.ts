import { once } from "node:events";
import { setTimeout } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { placeWithPassword } from "../../core/db/engine/place.ts";
import type { FromThread, MadePage, ThreadData, ToThread } from "./make-page.ts";
import type { PageRequest } from "./page.ts";

/** How long a thread may take to close its archive when the service ends. */
const CLOSE_MS = 1_000;
/** How long one that was ended may take to be gone. One in a statement of SQLite's never is. */
const GONE_MS = 500;
/** How long a thread of an archive that was replaced may go on with what it has in hand. Statements have at most 30 s. */
const RETIRE_MS = 60_000;

/** A thread, and by their numbers the pages that are wanted of it. */
type Thread = {
  readonly worker: Worker;
  readonly wanted: Map<number, PromiseWithResolvers<MadePage>>;
  readonly fail: (why: unknown) => void;
};

/**
 * Makes pages on a thread of their own, which runs `file`: no page keeps the event loop of the API. The thread is begun when it is first
 * wanted, and again after it failed, as for want of memory; what it had in hand then fails. When another archive lies at `path`, another
 * thread is begun, and the one before ends after what it has in hand.
 */
export function pageMaker(path: string, file: string, sqlMs?: number) {
  /** By the number of the archive that their pages are of. All but the newest are ending. */
  const threads = new Map<number, Thread>();
  /** Those that were given up, and still are in a statement. */
  const hung = new Set<Worker>();
  let asked = 0;
  const begin = (archive: number): Thread => {
    const workerData: ThreadData = { path: placeWithPassword(path), sqlMs };
    const worker = new Worker(file, { workerData });
    worker.unref();
    const wanted: Thread["wanted"] = new Map();
    const fail = (why: unknown): void => {
      if (threads.get(archive)?.worker === worker) threads.delete(archive);
      for (const { reject } of wanted.values()) reject(why);
      wanted.clear();
    };
    worker.on("message", ({ id, ...answer }: FromThread) => {
      if ("made" in answer) wanted.get(id)?.resolve(answer.made);
      else wanted.get(id)?.reject(new Error(answer.fault));
      wanted.delete(id);
    });
    worker.on("error", fail);
    worker.on("exit", () => {
      hung.delete(worker);
      fail(new Error("the thread of the pages ended"));
    });
    return { worker, wanted, fail };
  };
  /** Has a thread end after what it has in hand; it is ended if that takes too long, and given up if that does not help. */
  const end = async ({ worker, fail }: Thread, limitMs: number): Promise<void> => {
    worker.postMessage({ close: true } satisfies ToThread);
    const timers = new AbortController();
    const wait = (ms: number) => setTimeout(ms, undefined, { signal: timers.signal });
    const late = wait(limitMs).then(() => Promise.race([worker.terminate(), wait(GONE_MS).then(() => false)]));
    const isGone = await Promise.race([once(worker, "exit").catch(() => undefined), late]);
    timers.abort();
    if (isGone !== false) return;
    hung.add(worker);
    fail(new Error("the thread of the pages stands in a statement"));
  };
  const endAll = () => Promise.all([...threads.values()].map((thread) => end(thread, CLOSE_MS)));
  const threadOf = (archive: number): Thread => {
    const newest = Math.max(archive, ...threads.keys());
    const thread = threads.get(newest) ?? begin(newest);
    if (!threads.has(newest)) for (const replaced of threads.values()) void end(replaced, RETIRE_MS);
    threads.set(newest, thread);
    return thread;
  };
  return {
    /** @throws an error for a fault of ours; its message says nothing that a client should read */
    make: async (archive: number, request: PageRequest, signal: AbortSignal): Promise<MadePage> => {
      const { worker, wanted } = threadOf(archive);
      const [id, page] = [++asked, Promise.withResolvers<MadePage>()];
      wanted.set(id, page);
      worker.postMessage({ id, request } satisfies ToThread);
      const leave = (): void => worker.postMessage({ id } satisfies ToThread);
      signal.addEventListener("abort", leave);
      return await page.promise.finally(() => signal.removeEventListener("abort", leave));
    },
    /** Begins the end: pages that are still wanted and cannot be made soon fail, so that the service does not wait for them. */
    stop: (): void => void endAll(),
    close: async (): Promise<void> => {
      await endAll();
      // A process waits for its threads, and this one for its statement: only a signal that nobody hears any more ends both.
      if (hung.size > 0) process.kill(process.pid, "SIGTERM");
    },
  };
}

export type PageMaker = ReturnType<typeof pageMaker>;
