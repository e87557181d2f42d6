import type { Server } from "node:http";
import type { Socket } from "node:net";

/** Requests that a client may send on one connection ahead of their answers; clients that pipeline send a handful. */
const MAX_AHEAD = 16;

/** Whether a request may be answered: in its turn, or not because its connection has sent too many ahead or is gone. */
type Admission = "admitted" | "too_many_ahead" | "gone";

/**
 * Bounds a server's connections. The one that has been silent for the longest is closed first, then one whose requests are
 * answered, else the new one. A connection has one request in work at a time.
 */
export class Connections {
  readonly #limit: number;
  readonly #onShed: () => void;
  /** Requests under way, by connection. */
  readonly #busy = new Map<Socket, number>();
  /** Requests that wait for the one before them on their connection. */
  readonly #waiting = new Map<Socket, (() => void)[]>();
  /** Connections that have not sent a complete request yet, the longest waiting first. */
  readonly #silent = new Set<Socket>();
  /** Connections whose requests are all answered, the longest waiting first. */
  readonly #idle = new Set<Socket>();

  constructor(server: Server, limit: number, onShed: () => void) {
    this.#limit = limit;
    this.#onShed = onShed;
    server.on("connection", (socket: Socket) => this.#open(socket));
    // Before the framework's own listener, which begins to answer.
    server.prependListener("request", ({ socket }, response) => {
      this.#begin(socket);
      response.once("close", () => this.#end(socket));
    });
  }

  get open(): number {
    return this.#busy.size + this.#silent.size + this.#idle.size;
  }

  /** Resolves once the requests that came before on this connection are answered; at once when there are none. */
  async admit(socket: Socket): Promise<Admission> {
    const ahead = (this.#busy.get(socket) ?? 1) - 1;
    if (ahead > 0) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const waiting = this.#waiting.get(socket);
      if (waiting === undefined) this.#waiting.set(socket, [resolve]);
      else waiting.push(resolve);
      await promise;
    }
    if (socket.destroyed) return "gone";
    return ahead > MAX_AHEAD ? "too_many_ahead" : "admitted";
  }

  #open(socket: Socket): void {
    this.#silent.add(socket);
    socket.once("close", () => this.#forget(socket));
    if (this.open <= this.#limit) return;
    const [longest = socket] = this.#silent.size > 1 ? this.#silent : this.#idle;
    this.#shed(longest);
  }

  #begin(socket: Socket): void {
    if (socket.destroyed) return;
    const ahead = (this.#busy.get(socket) ?? 0) + 1;
    this.#silent.delete(socket);
    this.#idle.delete(socket);
    this.#busy.set(socket, ahead);
    // What is still unread stays in the socket's buffer; the request that is one too many ends the connection.
    if (ahead > MAX_AHEAD) socket.pause();
  }

  #end(socket: Socket): void {
    const ahead = this.#busy.get(socket);
    if (ahead === undefined) return;
    if (ahead > 1) {
      this.#busy.set(socket, ahead - 1);
      this.#waiting.get(socket)?.shift()?.();
    } else {
      this.#busy.delete(socket);
      this.#idle.add(socket);
    }
  }

  #forget(socket: Socket): void {
    this.#busy.delete(socket);
    this.#silent.delete(socket);
    this.#idle.delete(socket);
    const waiting = this.#waiting.get(socket);
    this.#waiting.delete(socket);
    for (const go of waiting ?? []) go();
  }

  #shed(socket: Socket): void {
    this.#onShed();
    this.#forget(socket);
    socket.destroy();
  }
}
