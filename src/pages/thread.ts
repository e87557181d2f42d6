import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import type { MadePage } from "./make-page.ts";
import type { PageRequest } from "./page.ts";
import { makerHere } from "./page-maker.ts";

/** What the thread is told. It says on `reply` what became of a request, and hears there that the reader is gone. */
export type ToThread =
  | { readonly request: PageRequest; readonly reply: MessagePort }
  | { readonly warm: number; readonly now: number }
  | { readonly cool: true }
  | { readonly close: true };

/** What became of a request: a page, or the stack of a fault. */
export type FromThread = { readonly made: MadePage } | { readonly fault: string };

export type ThreadData = { readonly path: string };

// The thread of the pages (`page-thread.ts`): they are made here, so that the one that answers the API waits for none.
const port = parentPort;
if (port !== null) {
  const maker = makerHere((workerData as ThreadData).path);
  const answer = async (request: PageRequest, reply: MessagePort): Promise<void> => {
    const gone = new AbortController();
    reply.once("message", () => gone.abort());
    reply.unref();
    try {
      const { answer, isCached, stream } = await maker.make(request, gone.signal);
      // A small buffer is a part of a larger one, all of which would be sent.
      const body = Uint8Array.from(answer.body);
      const made = { answer: { ...answer, body }, isCached, ...(stream === undefined ? {} : { stream }) };
      reply.postMessage({ made } satisfies FromThread, [body.buffer, ...(stream === undefined ? [] : [stream])]);
    } catch (error) {
      const fault = error instanceof Error ? (error.stack ?? error.message) : String(error);
      reply.postMessage({ fault } satisfies FromThread);
    }
  };
  port.on("message", (message: ToThread) => {
    if ("request" in message) void answer(message.request, message.reply);
    else if ("warm" in message) maker.warm(message.warm, message.now);
    else if ("cool" in message) maker.cool();
    else void maker.close().then(() => port.close());
  });
}
