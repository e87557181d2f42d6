import { once } from "node:events";
import { type AddressInfo, createServer, type Server } from "node:net";

/** Lets a server listen on a free port of loopback. @returns the port */
export async function listen(server: Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

/** A port of loopback at which nobody listens. */
export async function freePort(): Promise<number> {
  const probe = createServer();
  const port = await listen(probe);
  probe.close();
  await once(probe, "close");
  return port;
}
