import { once } from "node:events";
import { MessageChannel, Worker } from "node:worker_threads";
import { codeFile } from "../base/files/package-file.ts";
import { placeWithPassword } from "../engine/place.ts";
import type { PageMaker } from "./page-maker.ts";
import type { FromThread, ThreadData, ToThread } from "./thread.ts";

/** How long a thread may take to close its archive. */
const CLOSE_MS = 5_000;

/** A thread; `ended` is aborted with the reason when it ends. */
type Thread = { readonly worker: Worker; readonly ended: AbortSignal };

/**
 * Makes pages on a thread of their own: no page keeps the event loop of the API. The thread is begun when it is first wanted, and again
 * after it failed, as for want of memory; what it had in hand then fails.
 */
export function makerOnThread(path: string): PageMaker {
  let thread: Thread | undefined;
  const begin = (): Thread => {
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
    return { worker, ended: ended.signal };
  };
  const tell = (message: ToThread): Thread => {
    thread ??= begin();
    thread.worker.postMessage(message, "reply" in message ? [message.reply] : []);
    return thread;
  };
  return {
    make: async (request, signal) => {
      const { port1: port, port2: reply } = new MessageChannel();
      const leave = (): void => port.postMessage("gone");
      signal.addEventListener("abort", leave);
      const { ended } = tell({ request, reply });
      try {
        const answered = once(port, "message", { signal: ended });
        // The service ends when it is told to, whatever pages are being made.
        port.unref();
        const [answer] = (await answered.catch(() => {
          throw ended.reason;
        })) as [FromThread];
        if ("fault" in answer) throw new Error(answer.fault);
        return answer.made;
      } finally {
        signal.removeEventListener("abort", leave);
        port.close();
      }
    },
    warm: (archive, now) => void tell({ warm: archive, now }),
    cool: () => {
      if (thread !== undefined) tell({ cool: true });
    },
    close: async () => {
      if (thread === undefined) return;
      const { worker } = tell({ close: true });
      const late = setTimeout(() => void worker.terminate(), CLOSE_MS);
      await once(worker, "exit").catch(() => undefined);
      clearTimeout(late);
    },
  };
}
