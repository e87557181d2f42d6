import { Agent } from "node:http";
import { connect, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { sha256Hex } from "../../../../src/core/base/sha256.ts";
import { rawRequest } from "../../../support/raw-request.ts";

/** What good clients saw while others misbehaved. */
export type GoodSeen = { readonly answered: number; readonly failed: readonly string[] };

/** Repeats the same good requests on fresh and kept connections until stopped. Every answer has to equal the first. */
export async function askWell(url: string, paths: readonly string[], isOver: () => boolean, pauseMs = 5): Promise<GoodSeen> {
  const kept = new Agent({ keepAlive: true, maxSockets: 2 });
  const fresh = new Agent({ keepAlive: false });
  const ways = [{}, { accept: "application/x-bcs" }, { "accept-encoding": "gzip" }] as Record<string, string>[];
  const expected = new Map<string, string>();
  const failed: string[] = [];
  let answered = 0;
  for (let turn = 0; !isOver(); turn++) {
    const path = paths[turn % paths.length] as string;
    const headers = ways[Math.floor(turn / paths.length) % ways.length] as Record<string, string>;
    try {
      const { status, body } = await rawRequest(url + path, { agent: turn % 3 === 0 ? fresh : kept, headers });
      const key = JSON.stringify([path, headers]);
      const digest = sha256Hex(body);
      if (status === 200) expected.set(key, expected.get(key) ?? digest);
      if (status !== 200) failed.push(`${path}: ${status}`);
      else if (expected.get(key) !== digest) failed.push(`${path}: another body`);
      else answered += 1;
    } catch (error) {
      failed.push(`${path}: ${error instanceof Error ? error.message : String(error)}`);
    }
    await delay(pauseMs);
  }
  kept.destroy();
  fresh.destroy();
  return { answered, failed };
}

/** One way to misbehave: uses some connections to a server until told to stop. */
type Abuse = (port: number, isOver: () => boolean, paths: readonly string[]) => Promise<void>;

function open(port: number): Socket {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => undefined);
  return socket;
}

/** Keeps `count` sockets going: whatever is closed is opened again, and `act` is done with each, over and over. */
async function keepBusy(
  port: number,
  count: number,
  isOver: () => boolean,
  everyMs: number,
  act: (socket: Socket, age: number) => void,
): Promise<void> {
  const sockets: { socket: Socket; age: number }[] = [];
  while (!isOver()) {
    for (let index = 0; index < count; index++) {
      const held = sockets[index];
      if (held === undefined || held.socket.destroyed) sockets[index] = { socket: open(port), age: 0 };
      const current = sockets[index] as { socket: Socket; age: number };
      if (current.socket.writable && !current.socket.connecting) act(current.socket, current.age++);
    }
    await delay(everyMs);
  }
  for (const { socket } of sockets) socket.destroy();
}

const line = (path: string, more = ""): string => `GET ${path} HTTP/1.1\r\nhost: x\r\n${more}\r\n`;
let seed = 1;
const random = (below: number): number => {
  seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
  return seed % below;
};
const noise = (length: number): Buffer => Buffer.from(Array.from({ length }, () => random(256)));

/** The ways, by name; together they hold more connections than a service takes. */
const abuses: Readonly<Record<string, Abuse>> = {
  "silent connections": (port, isOver) => keepBusy(port, 1500, isOver, 1000, (socket) => void socket.resume()),
  "a header letter by letter": (port, isOver) =>
    keepBusy(port, 300, isOver, 500, (socket, age) => {
      socket.resume();
      socket.write(age === 0 ? "GET /v1 HTTP/1.1\r\nhost: x\r\nx-slow: " : "a");
    }),
  "large answers that nobody takes": (port, isOver, paths) =>
    keepBusy(port, 150, isOver, 1000, (socket, age) => {
      if (age > 0) return;
      socket.pause();
      socket.write(line(`${paths.at(-1)}?limit=${9000 + random(900)}`));
    }),
  "hundreds of requests at once on one connection": (port, isOver, paths) =>
    keepBusy(port, 5, isOver, 200, (socket) => {
      socket.resume();
      socket.write(line(paths[random(paths.length)] as string).repeat(300));
    }),
  "questions that nobody asked before": (port, isOver, paths) =>
    keepBusy(port, 10, isOver, 30, (socket) => {
      socket.resume();
      const path = paths[random(paths.length)] as string;
      const junk = noise(random(40))
        .toString("latin1")
        .replace(/[^!-~]/g, "%25");
      const packing = ["", "accept-encoding: br\r\n", "accept-encoding: zstd\r\n", "accept: application/x-bcs\r\n"][random(4)];
      socket.write(
        line(
          `${path}?x=${random(1e9)}&start=${noise(random(60)).toString("hex")}&limit=${random(70_000)}&ledger_version=${random(3000)}${junk}`,
          packing,
        ),
      );
    }),
};

/** Misbehaves in every way at once until told to stop. */
export async function abuseAll(port: number, paths: readonly string[], isOver: () => boolean): Promise<void> {
  await Promise.all(Object.values(abuses).map((abuse) => abuse(port, isOver, paths)));
}
