import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import { bringDatabasesFor } from "../../core/db/engine/place.ts";
import { type MadePage, makePage } from "./make-page.ts";
import type { PageHandler, PageName, PageRequest } from "./page.ts";
import { openPageArchive, type PageArchive } from "./page-archive.ts";

/** What the thread is told. It says on `reply` what became of a request, and hears there that the reader is gone. */
export type ToThread = { readonly request: PageRequest; readonly reply: MessagePort } | { readonly close: true };

/** What became of a request: a page, or the stack of a fault. */
export type FromThread = { readonly made: MadePage } | { readonly fault: string };

export type ThreadData = { readonly path: string };

/** Makes pages on this thread, for the service that began it (`page-thread.ts`): the one that answers the API waits for none. */
export function makePagesHere(handlers: Readonly<Record<PageName, PageHandler>>): void {
  const port = parentPort;
  if (port === null) return;
  const { path } = workerData as ThreadData;
  const underWay = new Set<Promise<void>>();
  let opened: Promise<PageArchive> | undefined;
  const open = (): Promise<PageArchive> => {
    opened ??= bringDatabasesFor(path)
      .then(() => openPageArchive(path))
      .catch((error: unknown) => {
        opened = undefined;
        throw error;
      });
    return opened;
  };
  const answer = async (request: PageRequest, reply: MessagePort): Promise<void> => {
    const gone = new AbortController();
    reply.once("message", () => gone.abort());
    reply.unref();
    try {
      const { answer, isCached, stream } = await makePage(handlers[request.page], open, request, gone.signal);
      // A small buffer is a part of a larger one, all of which would be sent.
      const body = Uint8Array.from(answer.body);
      const made = { answer: { ...answer, body }, isCached, ...(stream === undefined ? {} : { stream }) };
      reply.postMessage({ made } satisfies FromThread, [body.buffer, ...(stream === undefined ? [] : [stream])]);
    } catch (error) {
      const fault = error instanceof Error ? (error.stack ?? error.message) : String(error);
      reply.postMessage({ fault } satisfies FromThread);
    }
  };
  const close = async (): Promise<void> => {
    await Promise.all(underWay);
    await (await opened)?.close();
    port.close();
  };
  port.on("message", (message: ToThread) => {
    if ("close" in message) {
      void close();
      return;
    }
    const work = answer(message.request, message.reply);
    underWay.add(work);
    void work.finally(() => underWay.delete(work));
  });
}
