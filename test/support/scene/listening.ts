import { once } from "node:events";
import { Server as HttpServer } from "node:http";
import type { AddressInfo, Server } from "node:net";

/** A server on 127.0.0.1, closed with its connections at the end of its scope. */
export type Listening = AsyncDisposable & { readonly origin: string; readonly port: number };

/** Lets a server listen at a free port. */
export async function listening(server: Server): Promise<Listening> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    port,
    [Symbol.asyncDispose]: async () => {
      const closed = once(server, "close");
      server.close();
      if (server instanceof HttpServer) server.closeAllConnections();
      await closed;
    },
  };
}
