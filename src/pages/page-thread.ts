import { once } from "node:events";
import { MessageChannel, Worker } from "node:worker_threads";
import { codeFile } from "../base/files/package-file.ts";
import { placeWithPassword } from "../engine/place.ts";
import type { MadePage } from "./make-page.ts";
import type { PageRequest } from "./page.ts";
import type { FromThread, ThreadData, ToThread } from "./thread.ts";

/** How long a thread may take to close its archive. */
const CLOSE_MS = 5_000;

/** A thread and the number of the archive that its pages are of; `ended` is aborted with the reason when it ends. */
type Thread = { readonly worker: Worker; readonly archive: number; readonly ended: AbortSignal };

/**
 * Makes pages on a thread of their own: no page keeps the event loop of the API. The thread is begun when it is first wanted, and again
 * after it failed, as for want of memory; what it had in hand then fails. When another archive lies at `path`, another thread is begun,
 * and the one before ends after what it has in hand.
 */
export function pageMaker(path: string) {
  let thread: Thread | undefined;
  const begin = (archive: number): Thread => {
    const workerData: ThreadData = { path: placeWithPassword(path) };
    const worker = new Worker(codeFile("src/pages/thread.ts", "dist/pages.js"), { workerData });
    worker.unref();
    const ended = new AbortController();
    const end = (error: Error): void => {
      if (thread?.worker === worker) thread = undefined;
      ended.abort(error);
    };
    worker.on("error", end);
    worker.on("exit", () => end(new Error("the thread of the pages ended")));
    return { worker, archive, ended: ended.signal };
  };
  const tell = ({ worker }: Thread, message: ToThread): void => worker.postMessage(message, "reply" in message ? [message.reply] : []);
  const threadOf = (archive: number): Thread => {
    if (thread !== undefined && thread.archive < archive) {
      tell(thread, { close: true });
      thread = undefined;
    }
    thread ??= begin(archive);
    return thread;
  };
  return {
    /** @throws an error for a fault of ours; its message says nothing that a client should read */
    make: async (archive: number, request: PageRequest, signal: AbortSignal): Promise<MadePage> => {
      const { port1: port, port2: reply } = new MessageChannel();
      const leave = (): void => port.postMessage("gone");
      signal.addEventListener("abort", leave);
      const asked = threadOf(archive);
      tell(asked, { request, reply });
      try {
        const answered = once(port, "message", { signal: asked.ended });
        // The service ends when it is told to, whatever pages are being made.
        port.unref();
        const [answer] = (await answered.catch(() => {
          throw asked.ended.reason;
        })) as [FromThread];
        if ("fault" in answer) throw new Error(answer.fault);
        return answer.made;
      } finally {
        signal.removeEventListener("abort", leave);
        port.close();
      }
    },
    /** Does ahead what would keep the first readers of an archive waiting, from the beginning where it was doing so. */
    warm: (archive: number, now: number): void => tell(threadOf(archive), { warmAt: now }),
    /** Stops warming up. */
    cool: (): void => {
      if (thread !== undefined) tell(thread, { cool: true });
    },
    close: async (): Promise<void> => {
      if (thread === undefined) return;
      const { worker } = thread;
      tell(thread, { close: true });
      const late = setTimeout(() => void worker.terminate(), CLOSE_MS);
      await once(worker, "exit").catch(() => undefined);
      clearTimeout(late);
    },
  };
}

export type PageMaker = ReturnType<typeof pageMaker>;
