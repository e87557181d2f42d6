import { connect } from "node:net";
import type { ServerAddress } from "../address.ts";
import type { Client } from "../driver.ts";

/** How long after its end a statement's connection is given up, if the server has not stopped it. */
const LOST_MS = 2_000;

/** What came of bounded work: a row larger than its bytes, or a statement that was not done in time. */
export type Exceeded = "bytes" | "time";

/**
 * A statement's work, bounded from this side: whatever it does to the settings of its own session, this holds. The time runs while the
 * server works, and not while it waits for those who read.
 */
export function bounded(client: Client, server: ServerAddress, maxBytes: number, timeoutMs = Number.POSITIVE_INFINITY) {
  const { stream } = client.connection;
  let [bytes, leftMs, begun]: [number, number, number | undefined] = [0, timeoutMs, undefined];
  let exceeded: Exceeded | undefined;
  let timers: readonly NodeJS.Timeout[] = [];
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
  const halt = (): void => {
    if (begun !== undefined) leftMs -= performance.now() - begun;
    begun = undefined;
    timers.forEach(clearTimeout);
  };
  return {
    /** Lets the time run: the server works from now on. */
    run: (): void => {
      halt();
      begun = performance.now();
      if (timeoutMs === Number.POSITIVE_INFINITY) return;
      const ms = Math.max(1, leftMs);
      timers = [setTimeout(giveUp, ms, "time"), setTimeout(() => stream.destroy(), ms + LOST_MS)];
    },
    halt,
    /** Begins to count the bytes of the next row. */
    row: (): void => {
      bytes = 0;
    },
    exceeded: (): Exceeded | undefined => exceeded,
    /** Has the server stop what it does. */
    stop: (): void => giveUp("time"),
    /** Lets the connection be used by others again. */
    end: (): void => {
      halt();
      stream.off("data", count);
    },
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
