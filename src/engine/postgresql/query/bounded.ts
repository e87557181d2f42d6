import { connect } from "node:net";
import type { ServerAddress } from "../address.ts";
import type { Client } from "../driver.ts";

/** How long the server may go on after its time before it is told to stop, and how long after that before its connection is given up. */
const OVERDUE_MS = 500;

/** What came of bounded work: an answer larger than its bytes, or one that the server did not even stop in time. */
export type Exceeded = "bytes" | "time";

/** A connection's work, bounded from this side: whatever a statement does to the settings of its own session, this holds. */
export function bounded(client: Client, server: ServerAddress, maxBytes: number, timeoutMs: number | undefined) {
  const { stream } = client.connection;
  let [bytes, spentMs, exceeded]: [number, number, Exceeded | undefined] = [0, 0, undefined];
  let isRunning = false;
  const giveUp = (what: Exceeded): void => {
    exceeded ??= what;
    cancelStatement(server, client);
    if (what === "bytes") stream.destroy();
  };
  const count = (chunk: Uint8Array): void => {
    bytes += chunk.length;
    if (bytes > maxBytes) giveUp("bytes");
  };
  stream.on("data", count);
  return {
    /** Does a piece of work, within the time that is left of all pieces together and within so many bytes of its own. */
    run: async <T>(work: (leftMs: number | undefined) => Promise<T>): Promise<T> => {
      [bytes, isRunning] = [0, true];
      const begun = performance.now();
      const leftMs = timeoutMs === undefined ? undefined : Math.max(1, Math.ceil(timeoutMs - spentMs));
      const late = leftMs === undefined ? undefined : setTimeout(() => giveUp("time"), leftMs + OVERDUE_MS);
      const lost = leftMs === undefined ? undefined : setTimeout(() => stream.destroy(), leftMs + 4 * OVERDUE_MS);
      try {
        return await work(leftMs);
      } finally {
        clearTimeout(late);
        clearTimeout(lost);
        isRunning = false;
        spentMs += performance.now() - begun;
      }
    },
    exceeded: (): Exceeded | undefined => exceeded,
    /** Has the server stop the piece that it is at, if any. */
    stop: (): void => {
      if (isRunning) giveUp("time");
    },
    /** Lets the connection be used by others again. */
    end: (): void => void stream.off("data", count),
  };
}

export type Bounded = ReturnType<typeof bounded>;

/** CancelRequest's code, in the place of the protocol version (postgresql.org/docs/current/protocol-message-formats.html). */
const CANCEL_REQUEST = 80_877_102;
/** How long the server may take to be reached for it. */
const REACH_MS = 5_000;

/** Asks the server, by a connection of its own, to stop a session's statement. Silent where that fails: the statement has a limit too. */
function cancelStatement({ host, port }: ServerAddress, { processID, secretKey }: Client): void {
  if (processID === null || secretKey === null) return;
  const message = Buffer.alloc(16);
  [message.length, CANCEL_REQUEST, processID, secretKey].forEach((number, i) => {
    message.writeInt32BE(number, 4 * i);
  });
  const socket = host.startsWith("/") ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host);
  socket.setTimeout(REACH_MS, () => socket.destroy());
  socket.on("error", () => undefined).end(message);
  socket.resume().unref();
}
