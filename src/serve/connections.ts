import type { Server } from "node:http";
import type { Socket } from "node:net";

/** Requests that one connection may send ahead of their answers; clients that pipeline send a handful. */
const MOST_AHEAD = 64;

/**
 * Keeps a server's connections below a number. When there are too many, the one that has been without a request for the
 * longest goes, so that somebody who opens thousands and says nothing loses his own; when all are busy, the new one goes.
 */
export class Connections {
  readonly #most: number;
  readonly #onShed: () => void;
  /** Requests under way on each. */
  readonly #busy = new Map<Socket, number>();
  /** Those without any, the longest waiting first. */
  readonly #idle = new Set<Socket>();

  constructor(server: Server, most: number, onShed: () => void) {
    this.#most = most;
    this.#onShed = onShed;
    server.on("connection", (socket: Socket) => this.#open(socket));
    server.on("request", ({ socket }, response) => {
      this.#begin(socket);
      response.once("close", () => this.#end(socket));
    });
  }

  get open(): number {
    return this.#busy.size + this.#idle.size;
  }

  #open(socket: Socket): void {
    this.#idle.add(socket);
    socket.once("close", () => {
      this.#busy.delete(socket);
      this.#idle.delete(socket);
    });
    if (this.open <= this.#most) return;
    const [longest = socket] = this.#idle;
    this.#shed(longest);
  }

  #begin(socket: Socket): void {
    const ahead = (this.#busy.get(socket) ?? 0) + 1;
    this.#idle.delete(socket);
    this.#busy.set(socket, ahead);
    if (ahead > MOST_AHEAD) this.#shed(socket);
  }

  #end(socket: Socket): void {
    const ahead = this.#busy.get(socket);
    if (ahead === undefined) return;
    if (ahead > 1) this.#busy.set(socket, ahead - 1);
    else {
      this.#busy.delete(socket);
      this.#idle.add(socket);
    }
  }

  #shed(socket: Socket): void {
    this.#onShed();
    socket.destroy();
  }
}
