import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { listen } from "../loopback.ts";

/**
 * A way to a server on which things go wrong: it can be cut at the commit of a transaction, before the server hears of it or
 * before its answer arrives, and at any message; and be closed, refused or silent for a while.
 */
export type CuttingProxy = AsyncDisposable & {
  readonly port: number;
  readonly cutNextCommit: (when: "unheard" | "unanswered", nth?: number) => void;
  /**
   * Cuts the connection over which the n-th message from now on comes, 1 being the next, before the server hears of it, and nothing that
   * was to be cut before. 0 cuts nothing.
   */
  readonly cutAtMessage: (n: number) => void;
  /** Ends all connections at that message, and closes as many new ones at once, like a balancer whose server is away for a moment. */
  readonly closeAtMessage: (n: number, times: number) => void;
  /** How many messages came since. */
  readonly messages: () => number;
  /** Ends all connections, and until it is let go on each new one as soon as it is taken: as a balancer whose server is away. */
  readonly closeAll: () => void;
  /** Ends all connections, and until it is let go on takes no new one. */
  readonly refuse: () => Promise<void>;
  /**
   * From the n-th message from now on passes nothing on, and cuts nothing: as where packets are dropped. Connections that there are stay
   * so for ever; new ones until it is let go on. `isNoticed` is done when a client has given one of them up.
   */
  readonly fallSilent: (n?: number) => void;
  readonly isNoticed: Promise<void>;
  /**
   * Stops forwarding on the connection of the n-th message from now, but keeps accepting data and leaves the server's side open, like a
   * balancer that has forgotten a flow. New connections work.
   */
  readonly deafen: (n: number) => void;
  /** From now on keeps back what either side says, until it is let go on: as where a network stands still and recovers. */
  readonly hold: () => void;
  readonly letGoOn: () => Promise<void>;
};

/** The whole message: temporary tables have the word in their statement, too. */
const COMMIT = Buffer.from("Q\0\0\0\vCOMMIT\0");

/** Starts a proxy in front of a server on loopback. */
export async function cuttingProxy(serverPort: number): Promise<CuttingProxy> {
  let cut: "unheard" | "unanswered" | undefined;
  let commits = 0;
  let isSilent = false;
  let isHeld = false;
  let isClosing = false;
  let [messages, cutAt, silentAt, deafAt, closeAt] = [0, 0, 0, 0, 0];
  let toClose = Number.POSITIVE_INFINITY;
  const noticed = Promise.withResolvers<void>();
  const sockets = new Set<Socket>();
  const proxy = createServer({ noDelay: true }, (client) => {
    if (isClosing) {
      toClose -= 1;
      if (toClose === 0) isClosing = false;
      client.on("error", () => undefined).destroy();
      return;
    }
    const server = connect({ port: serverPort, host: "127.0.0.1", noDelay: true });
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
    let isDead = false;
    client.on("close", () => isDead && noticed.resolve());
    client.on("data", (bytes) => {
      messages += 1;
      if (messages === silentAt) isSilent = true;
      isDead ||= isSilent || messages === deafAt;
      if (isDead) return;
      if (messages === cutAt) return end();
      if (messages === closeAt) {
        isClosing = true;
        return endAll();
      }
      if (cut !== undefined && bytes.includes(COMMIT) && --commits === 0) {
        const when = cut;
        cut = undefined;
        if (when === "unheard") return end();
        isCommitted = true;
      }
      server.write(bytes);
    });
    server.on("data", (bytes) => {
      isDead ||= isSilent;
      if (isDead) return;
      if (isCommitted) end();
      else client.write(bytes);
    });
    if (isHeld) for (const socket of [client, server]) socket.pause();
  });
  const port = await listen(proxy);
  const endAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    port,
    cutAtMessage: (n) => {
      [cut, messages, cutAt, closeAt] = [undefined, 0, n, 0];
    },
    closeAtMessage: (n, times) => {
      [messages, closeAt, toClose] = [0, n, times];
    },
    messages: () => messages,
    closeAll: () => {
      [isClosing, toClose] = [true, Number.POSITIVE_INFINITY];
      endAll();
    },
    refuse: async () => {
      const closed = once(proxy, "close");
      proxy.close();
      endAll();
      await closed;
    },
    cutNextCommit: (when, nth = 1) => {
      [cut, commits] = [when, nth];
    },
    fallSilent: (n) => {
      isSilent = n === undefined;
      [messages, silentAt] = [0, n ?? 0];
    },
    isNoticed: noticed.promise,
    deafen: (n) => {
      [messages, deafAt] = [0, n];
    },
    hold: () => {
      isHeld = true;
      for (const socket of sockets) socket.pause();
    },
    letGoOn: async () => {
      [isHeld, isClosing, isSilent] = [false, false, false];
      for (const socket of sockets) socket.resume();
      if (proxy.listening) return;
      proxy.listen(port, "127.0.0.1");
      await once(proxy, "listening");
    },
    [Symbol.asyncDispose]: async () => {
      proxy.close();
      endAll();
    },
  };
}
