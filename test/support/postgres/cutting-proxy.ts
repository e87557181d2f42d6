import { once } from "node:events";
import { connect, createServer } from "node:net";

/** A way to a server that can be cut at the commit of a transaction: before the server hears of it, or before its answer arrives. */
export type CuttingProxy = AsyncDisposable & {
  readonly port: number;
  readonly cutNextCommit: (when: "unheard" | "unanswered") => void;
  /** From now on passes nothing on, and cuts nothing: as where a machine is gone without a word. */
  readonly fallSilent: () => void;
};

const COMMIT = Buffer.from("COMMIT");

/** Starts a proxy in front of a server on loopback. */
export async function cuttingProxy(serverPort: number): Promise<CuttingProxy> {
  let cut: "unheard" | "unanswered" | undefined;
  let isSilent = false;
  const proxy = createServer((client) => {
    const server = connect(serverPort, "127.0.0.1");
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
  }).listen(0, "127.0.0.1");
  await once(proxy, "listening");
  const address = proxy.address();
  return {
    port: typeof address === "object" && address !== null ? address.port : 0,
    cutNextCommit: (when) => (cut = when),
    fallSilent: () => {
      isSilent = true;
    },
    [Symbol.asyncDispose]: async () => {
      proxy.close();
    },
  };
}
