import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import type { AlertMessage } from "../../../../../src/capabilities/watch/tell/message.ts";
import { listen } from "../../../../support/loopback.ts";

/** What a receiver was sent. */
export type Received = { readonly path: string; readonly headers: IncomingHttpHeaders; readonly body: string };

/**
 * How a receiver treats a request: a status, with headers; or `hang` (no answer at all), `hang-body` (200, and a body that never
 * ends), `die` (the connection is cut before an answer), `take-and-die` (as `die`, and it has taken the message).
 */
export type Behaviour =
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>> }
  | "hang"
  | "hang-body"
  | "die"
  | "take-and-die";

/** A webhook's receiver on real HTTP. */
export type Receiver = AsyncDisposable & {
  readonly url: string;
  /** Every request that came whole. */
  readonly received: Received[];
  /** The identifiers of what it took, in order: answered with 2xx, or taken and not answered. */
  readonly taken: string[];
  /** How the next requests are treated; 200 unless it is said otherwise. */
  behave: (request: Received) => Behaviour;
};

/** The changes that the body of a message lists: one, or those of a night. */
export function changesIn(body: string): AlertMessage[] {
  const message = JSON.parse(body) as AlertMessage | { readonly type: "digest"; readonly alerts: AlertMessage[] };
  return message.type === "digest" ? message.alerts : [message];
}

/** Starts a receiver. */
export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = [];
  const taken: string[] = [];
  const server = createServer(async (request, response) => {
    const one = { path: request.url ?? "", headers: request.headers, body: await text(request).catch(() => "") };
    received.push(one);
    answer(receiver.behave(one), one, response);
  });
  const answer = (behaviour: Behaviour, { headers }: Received, response: ServerResponse): void => {
    const id = String(headers["webhook-id"]);
    if (behaviour === "hang") return;
    if (behaviour === "die") return void response.socket?.destroy();
    if (behaviour === "take-and-die") {
      taken.push(id);
      return void response.socket?.destroy();
    }
    const { status, headers: extra = {} } = behaviour === "hang-body" ? { status: 200 } : behaviour;
    if (status >= 200 && status < 300) taken.push(id);
    response.writeHead(status, extra);
    if (behaviour === "hang-body") response.write("…");
    else response.end("thanks");
  };
  const receiver: Receiver = {
    url: `http://127.0.0.1:${await listen(server)}/hooks/T0P-S3CRET?key=hidden`,
    received,
    taken,
    behave: () => ({ status: 200 }),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return receiver;
}
