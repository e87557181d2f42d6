import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { listen } from "../loopback.ts";
import { framed, message, SSL_REQUEST } from "./messages.ts";

/**
 * A proxy that lends a server's connection for one transaction only, as PgBouncer does with `pool_mode = transaction`: two
 * transactions of one client are done on different connections, and the settings of a session are anybody's.
 */
export type PoolingProxy = AsyncDisposable & { readonly port: number; readonly transactions: () => number };

/** Starts a proxy with so many connections to a server on loopback, each opened by the user `postgres`. */
export async function poolingProxy(serverPort: number, database: string, size: number): Promise<PoolingProxy> {
  let transactions = 0;
  const backends = await Promise.all(Array.from({ length: size }, () => openBackend(serverPort, database)));
  const free = [...backends];
  const waiting: ((backend: Socket) => void)[] = [];
  const take = async () => free.shift() ?? (await new Promise<Socket>((resolve) => waiting.push(resolve)));
  const giveBack = (backend: Socket) => {
    const next = waiting.shift();
    if (next === undefined) free.push(backend);
    else next(backend);
  };

  const proxy = createServer({ noDelay: true }, async (client) => {
    client.on("error", () => {});
    const messages = framed(client, true);
    for (let hasBegun = false; !hasBegun; ) {
      const { value: start } = await messages.next();
      if (start === undefined) return;
      hasBegun = start.readInt32BE(4) !== SSL_REQUEST;
      client.write(hasBegun ? Buffer.concat([message("R", Buffer.alloc(4)), READY]) : "N");
    }
    let backend: Socket | undefined;
    for await (const bytes of messages) {
      if (bytes[0] === TERMINATE) break;
      if (backend === undefined) {
        const taken = await take();
        transactions++;
        backend = taken;
        answers.set(taken, (answer) => {
          client.write(answer);
          if (answer[0] !== READY[0] || answer[5] !== IDLE) return;
          backend = undefined;
          answers.delete(taken);
          giveBack(taken);
        });
      }
      backend.write(bytes);
    }
  });
  return {
    port: await listen(proxy),
    transactions: () => transactions,
    [Symbol.asyncDispose]: async () => {
      proxy.close();
      for (const backend of backends) backend.destroy();
    },
  };
}

// postgresql.org/docs/current/protocol-message-formats.html
const PROTOCOL = 196_608;
const TERMINATE = "X".charCodeAt(0);
const IDLE = "I".charCodeAt(0);
const READY = message("Z", Buffer.of(IDLE));
const answers = new WeakMap<Socket, (answer: Buffer) => void>();

async function openBackend(port: number, database: string): Promise<Socket> {
  const socket = connect({ port, host: "127.0.0.1", noDelay: true });
  await once(socket, "connect");
  const words = Buffer.from(`user\0postgres\0database\0${database}\0\0`);
  const start = Buffer.alloc(8 + words.length);
  start.writeInt32BE(start.length, 0);
  start.writeInt32BE(PROTOCOL, 4);
  words.copy(start, 8);
  socket.on("error", () => {}).write(start);
  const messages = framed(socket, false);
  for (;;) if (((await messages.next()).value as Buffer)[0] === READY[0]) break;
  const forward = async () => {
    for await (const answer of messages) answers.get(socket)?.(answer);
  };
  // Ends with the socket, in whatever way that goes.
  forward().catch(() => {});
  return socket;
}
