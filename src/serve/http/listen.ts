import type { AddressInfo } from "node:net";
import type { FastifyInstance } from "fastify";
import { printable } from "../../base/printable.ts";
import { ConfigError } from "../../errors.ts";

/** Where to listen; port 0 is any free one. */
export type ListenAddress = { readonly host: string; readonly port: number };

/** Opens the socket. Returns the origin that clients reach it by: `http://127.0.0.1:8080`. @throws ConfigError when it cannot listen there */
export async function listen(app: FastifyInstance, { host, port }: ListenAddress): Promise<string> {
  try {
    await app.listen({ host, port, backlog: 4096 });
  } catch (error) {
    const { code = "unknown error" } = error as NodeJS.ErrnoException;
    throw new ConfigError(
      `could not listen on ${printable(host, 100)} port ${port}: ${code}. Give another --port (0 is any free one) or --host.`,
      {
        facts: { host, port, reason: code },
        cause: error,
      },
    );
  }
  const { address, family, port: bound } = app.server.address() as AddressInfo;
  return `http://${family === "IPv6" ? `[${address}]` : address}:${bound}`;
}

/** Stops accepting connections, lets answers under way end, and closes what is left after `stopMs`. */
export async function stop(app: FastifyInstance, stopMs: number): Promise<void> {
  const late = setTimeout(() => app.server.closeAllConnections(), stopMs);
  await app.close();
  clearTimeout(late);
}
