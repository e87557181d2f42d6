import { Worker } from "node:worker_threads";
import { codeFile } from "../base/files/package-file.ts";
import { placeWithPassword } from "../engine/place.ts";
import type { MadePage } from "./make-page.ts";
import type { PageRequest } from "./page.ts";
import type { PageMaker } from "./page-maker.ts";
import type { FromThread, ThreadData, ToThread } from "./thread.ts";

/** How long a thread may take to close its archive. */
const CLOSE_MS = 5_000;

/**
 * Makes pages on a thread of their own: no page keeps the event loop of the API. The thread is begun when it is first wanted, and again
 * after it failed, as for want of memory; what it had in hand then fails.
 */
export class PageThread implements PageMaker {
  readonly #path: string;
  readonly #waiting = new Map<number, PromiseWithResolvers<MadePage>>();
  #worker: Worker | undefined;
  #serial = 0;

  constructor(path: string) {
    this.#path = path;
  }

  readonly make = async (request: PageRequest, signal: AbortSignal): Promise<MadePage> => {
    const serial = ++this.#serial;
    const made = Promise.withResolvers<MadePage>();
    this.#waiting.set(serial, made);
    const leave = (): void => this.#tell({ gone: serial });
    signal.addEventListener("abort", leave);
    this.#tell({ serial, request });
    try {
      return await made.promise;
    } finally {
      signal.removeEventListener("abort", leave);
      this.#waiting.delete(serial);
    }
  };

  readonly warm = (archive: number, now: number): void => this.#tell({ warm: archive, now });

  readonly cool = (): void => {
    if (this.#worker !== undefined) this.#tell({ cool: true });
  };

  readonly close = async (): Promise<void> => {
    const worker = this.#worker;
    if (worker === undefined) return;
    const ended = new Promise<void>((resolve) => worker.once("exit", () => resolve()));
    const late = setTimeout(() => void worker.terminate(), CLOSE_MS);
    this.#tell({ close: true });
    await ended;
    clearTimeout(late);
  };

  #tell(message: ToThread): void {
    this.#worker ??= this.#begin();
    this.#worker.postMessage(message);
  }

  #begin(): Worker {
    const worker = new Worker(codeFile("src/pages/thread.ts", "dist/pages.js"), {
      workerData: { path: placeWithPassword(this.#path) } satisfies ThreadData,
    });
    // The service ends when it is told to, whatever pages are being made.
    worker.unref();
    worker.on("message", (message: FromThread) => {
      if ("closed" in message) return;
      const waiting = this.#waiting.get(message.serial);
      if ("made" in message) waiting?.resolve(message.made);
      else waiting?.reject(new Error(message.fault));
    });
    const over = (error: Error): void => {
      if (this.#worker !== worker) return;
      this.#worker = undefined;
      for (const waiting of this.#waiting.values()) waiting.reject(error);
    };
    worker.on("error", over);
    worker.on("exit", () => over(new Error("the thread of the pages ended")));
    return worker;
  }
}
