import type { Server } from "node:http";
import type { Socket } from "node:net";

/** Requests that one connection may send ahead of their answers; clients that pipeline send a handful. */
const MOST_AHEAD = 16;

/**
 * Keeps a server's connections below a number. When there are too many, the one that has said nothing for the longest
 * goes, so that somebody who opens thousands and is silent loses his own; then one that was answered and has nothing more
 * to ask; when all are busy, the new one. And lets each connection have one request in work at a time, so that nobody
 * gets more done by sending ahead.
 */
export class Connections {
  readonly #most: number;
  readonly #onShed: () => void;
  /** Requests under way on each. */
  readonly #busy = new Map<Socket, number>();
  /** Requests that wait for the one before them. */
  readonly #waiting = new Map<Socket, (() => void)[]>();
  /** Those that have not sent a whole request yet, the longest waiting first. */
  readonly #silent = new Set<Socket>();
  /** Those whose requests are all answered, the longest waiting first. */
  readonly #idle = new Set<Socket>();

  constructor(server: Server, most: number, onShed: () => void) {
    this.#most = most;
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

  /** Resolves once the requests that came before on this connection are answered; undefined when there are none. */
  turn(socket: Socket): Promise<void> | undefined {
    if ((this.#busy.get(socket) ?? 0) <= 1) return undefined;
    return new Promise((resolve) => {
      const waiting = this.#waiting.get(socket);
      if (waiting === undefined) this.#waiting.set(socket, [resolve]);
      else waiting.push(resolve);
    });
  }

  #open(socket: Socket): void {
    this.#silent.add(socket);
    socket.once("close", () => this.#forget(socket));
    if (this.open <= this.#most) return;
    const [longest = socket] = this.#silent.size > 1 ? this.#silent : this.#idle;
    this.#shed(longest);
  }

  #begin(socket: Socket): void {
    if (socket.destroyed) return;
    const ahead = (this.#busy.get(socket) ?? 0) + 1;
    this.#silent.delete(socket);
    this.#idle.delete(socket);
    this.#busy.set(socket, ahead);
    if (ahead > MOST_AHEAD) this.#shed(socket);
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
