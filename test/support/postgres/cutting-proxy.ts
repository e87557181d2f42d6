import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";

/** A way to a server that can be cut at the commit of a transaction: before the server hears of it, or before its answer arrives. */
export type CuttingProxy = AsyncDisposable & {
  readonly port: number;
  readonly cutNextCommit: (when: "unheard" | "unanswered") => void;
  /** From now on passes nothing on, and cuts nothing: as where a machine is gone without a word. */
  readonly fallSilent: () => void;
  /** From now on keeps back what either side says, until it is let go on: as where a network stands still and recovers. */
  readonly hold: () => void;
  readonly letGoOn: () => void;
};

const COMMIT = Buffer.from("COMMIT");

/** Starts a proxy in front of a server on loopback. */
export async function cuttingProxy(serverPort: number): Promise<CuttingProxy> {
  let cut: "unheard" | "unanswered" | undefined;
  let isSilent = false;
  let isHeld = false;
  const sockets = new Set<Socket>();
  const proxy = createServer((client) => {
    const server = connect(serverPort, "127.0.0.1");
    for (const socket of [client, server]) {
      sockets.add(socket);
      socket.on("close", () => sockets.delete(socket));
    }
    const end = () => {
      client.destroy();
      server.destroy();
    };
    client.on("error", end).on("close", end);
    server.on("error", end).on("close", end);
    let isCommitted = false;
    client.on("data", (bytes) => {
      if (isSilent) return;
      if (cut !== undefined && bytes.includes(COMMIT)) {
        const when = cut;
        cut = undefined;
        if (when === "unheard") return end();
        isCommitted = true;
      }
      server.write(bytes);
    });
    server.on("data", (bytes) => {
      if (isCommitted) end();
      else client.write(bytes);
    });
    if (isHeld) for (const socket of [client, server]) socket.pause();
  }).listen(0, "127.0.0.1");
  await once(proxy, "listening");
  const address = proxy.address();
  return {
    port: typeof address === "object" && address !== null ? address.port : 0,
    cutNextCommit: (when) => (cut = when),
    fallSilent: () => {
      isSilent = true;
    },
    hold: () => {
      isHeld = true;
      for (const socket of sockets) socket.pause();
    },
    letGoOn: () => {
      isHeld = false;
      for (const socket of sockets) socket.resume();
    },
    [Symbol.asyncDispose]: async () => {
      proxy.close();
    },
  };
}
