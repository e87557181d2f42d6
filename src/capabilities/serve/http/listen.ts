import { chmodSync, lstatSync, rmSync } from "node:fs";
import { type AddressInfo, connect } from "node:net";
import type { FastifyInstance } from "fastify";
import { printable } from "../../../core/base/printable.ts";
import { ConfigError } from "../../../core/errors.ts";

/** Where to listen: a TCP port, 0 for any free one, or the path of a Unix socket. */
export type ListenAddress = { readonly host: string; readonly port: number } | { readonly socket: string };

/** Who may connect to a Unix socket: its owner and its group. */
const SOCKET_MODE = 0o660;

/**
 * Opens the socket. Returns where clients reach it: `http://127.0.0.1:8080`, or `unix:/run/movedex.sock`.
 * `option` names what chose a port.
 * @throws ConfigError when it cannot listen there
 */
export async function listen(
  app: FastifyInstance,
  address: ListenAddress,
  option = "--port (0 is any free one) or --host",
): Promise<string> {
  try {
    if ("socket" in address) {
      await removeDeadSocket(address.socket);
      await app.listen({ path: address.socket, backlog: 4096 });
      chmodSync(address.socket, SOCKET_MODE);
      return `unix:${address.socket}`;
    }
    await app.listen({ ...address, backlog: 4096 });
  } catch (error) {
    throw cannotListen(address, option, error as NodeJS.ErrnoException);
  }
  const { address: bound, family, port } = app.server.address() as AddressInfo;
  return `http://${family === "IPv6" ? `[${bound}]` : bound}:${port}`;
}

/** Stops accepting connections, lets answers that are `underWay` end, and closes what is left after `stopMs`. */
export async function stop(app: FastifyInstance, stopMs: number, underWay: () => number): Promise<void> {
  const late = setTimeout(() => app.server.closeAllConnections(), stopMs);
  // A connection whose answer ended meanwhile is kept open by its client, for more requests; a half of a request is no answer under way.
  const idle = setInterval(() => (underWay() > 0 ? app.server.closeIdleConnections() : app.server.closeAllConnections()), 50);
  await app.close();
  clearTimeout(late);
  clearInterval(idle);
}

function cannotListen(address: ListenAddress, option: string, error: NodeJS.ErrnoException): ConfigError {
  const { code = "unknown error" } = error;
  const [where, advice] =
    "socket" in address
      ? [`the socket \`${printable(address.socket, 200)}\``, "--socket, in a folder that is there and that this user may write"]
      : [`${printable(address.host, 100)} port ${address.port}`, option];
  const facts = { ...address, reason: code };
  return new ConfigError(`could not listen on ${where}: ${code}. Give another ${advice}.`, { facts, cause: error });
}

/** A service that was killed leaves its socket behind, and nothing answers there: it makes way for the new one. */
async function removeDeadSocket(path: string): Promise<void> {
  if (lstatSync(path, { throwIfNoEntry: false })?.isSocket() !== true) return;
  const isAnswered = await new Promise<boolean>((resolve) => {
    const probe = connect(path);
    probe.once("connect", () => {
      probe.destroy();
      resolve(true);
    });
    probe.once("error", () => resolve(false));
  });
  if (!isAnswered) rmSync(path);
}
