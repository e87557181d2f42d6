import { once } from "node:events";
import { Server as HttpServer } from "node:http";
import type { Server } from "node:net";
import { listen } from "../loopback.ts";

/** A server on 127.0.0.1, closed with its connections at the end of its scope. */
export type Listening = AsyncDisposable & { readonly origin: string; readonly port: number };

/** Lets a server listen at a free port. */
export async function listening(server: Server): Promise<Listening> {
  const port = await listen(server);
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
