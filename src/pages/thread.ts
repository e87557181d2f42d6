import { parentPort, workerData } from "node:worker_threads";
import type { MadePage } from "./make-page.ts";
import type { PageRequest } from "./page.ts";
import { makerHere } from "./page-maker.ts";

/** What the thread is told. `serial` tells requests apart. */
export type ToThread =
  | { readonly serial: number; readonly request: PageRequest }
  | { readonly gone: number }
  | { readonly warm: number; readonly now: number }
  | { readonly cool: true }
  | { readonly close: true };

/** What it says: a page, or the stack of a fault. */
export type FromThread =
  | { readonly serial: number; readonly made: MadePage }
  | { readonly serial: number; readonly fault: string }
  | { readonly closed: true };

export type ThreadData = { readonly path: string };

// The thread of the pages (`page-thread.ts`): they are made here, so that the one that answers the API waits for none.
const port = parentPort;
if (port !== null) {
  const maker = makerHere((workerData as ThreadData).path);
  const going = new Map<number, AbortController>();
  const say = (message: FromThread): void => port.postMessage(message);
  const answer = async (serial: number, request: PageRequest): Promise<void> => {
    const gone = new AbortController();
    going.set(serial, gone);
    try {
      const { answer, isCached, stream } = await maker.make(request, gone.signal);
      // A small buffer is a part of a larger one, all of which would be sent.
      const body = Uint8Array.from(answer.body);
      const made = { answer: { ...answer, body }, isCached, ...(stream === undefined ? {} : { stream }) };
      port.postMessage({ serial, made } satisfies FromThread, [body.buffer, ...(stream === undefined ? [] : [stream])]);
    } catch (error) {
      say({ serial, fault: error instanceof Error ? (error.stack ?? error.message) : String(error) });
    } finally {
      going.delete(serial);
    }
  };
  port.on("message", (message: ToThread) => {
    if ("request" in message) void answer(message.serial, message.request);
    else if ("gone" in message) going.get(message.gone)?.abort();
    else if ("warm" in message) maker.warm(message.warm, message.now);
    else if ("cool" in message) maker.cool();
    else
      void maker.close().then(() => {
        say({ closed: true });
        port.close();
      });
  });
}
