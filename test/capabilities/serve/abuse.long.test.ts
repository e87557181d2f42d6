import { Agent } from "node:http";
import { connect, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { expect } from "vitest";
import { manyAccounts, startSimNode } from "../../../sim/index.ts";
import { seededRandom } from "../../../src/core/base/numbers.ts";
import { rawRequest, test } from "../../support/index.ts";
import { startServeProcess } from "./support/serve-process.ts";
import { crawl } from "./support/served-archive.ts";

const SECONDS = 8;
const random = seededRandom(4);
const below = (limit: number): number => Math.floor(random() * limit);
const oneOf = <T>(list: readonly T[]): T => list[below(list.length)] as T;
const get = (path: string, more = ""): string => `GET /v1${path} HTTP/1.1\r\nhost: x\r\n${more}\r\n`;

/** A way to misbehave: on so many connections at once, each of which does something every so often. */
type Abuse = { readonly connections: number; readonly everyMs: number; readonly act: (socket: Socket, turn: number, path: string) => void };

/** Together they hold more connections than a service takes. */
const abuses: Readonly<Record<string, Abuse>> = {
  "silent connections": { connections: 1500, everyMs: 1000, act: (socket) => void socket.resume() },
  "a header letter by letter": {
    connections: 300,
    everyMs: 500,
    act: (socket, turn) => void socket.resume().write(turn === 0 ? "GET /v1 HTTP/1.1\r\nhost: x\r\nx-slow: " : "a"),
  },
  "large answers that nobody takes": {
    connections: 150,
    everyMs: 1000,
    act: (socket, turn, path) => void (turn === 0 && socket.pause().write(get(`${path}/modules?limit=${9000 + below(900)}`))),
  },
  "hundreds of requests at once on one connection": {
    connections: 5,
    everyMs: 200,
    act: (socket, _, path) => void socket.resume().write(get(path).repeat(300)),
  },
  "questions that nobody asked before": {
    connections: 10,
    everyMs: 30,
    act: (socket, _, path) => {
      const query = `x=${below(1e9)}&start=${below(1e9).toString(16)}&limit=${below(70_000)}&ledger_version=${below(3000)}%25`;
      const header = oneOf(["", "accept-encoding: br\r\n", "accept-encoding: zstd\r\n", "accept: application/x-bcs\r\n"]);
      socket.resume().write(get(`${path}/modules?${query}`, header));
    },
  },
};

async function misbehave(
  { connections, everyMs, act }: Abuse,
  port: number,
  paths: readonly string[],
  isOver: () => boolean,
): Promise<void> {
  const held: { readonly socket: Socket; turn: number }[] = [];
  while (!isOver()) {
    for (let i = 0; i < connections; i++) {
      // Whatever is closed is opened again.
      if (held[i]?.socket.destroyed !== false) held[i] = { socket: connect(port, "127.0.0.1").on("error", () => undefined), turn: 0 };
      const one = held[i] as (typeof held)[number];
      if (one.socket.writable && !one.socket.connecting) act(one.socket, one.turn++, oneOf(paths));
    }
    await delay(everyMs);
  }
  for (const { socket } of held) socket.destroy();
}

/** Asks what good clients ask, on fresh and on kept connections. @returns how often it was answered as the first time, and how else */
async function askWell(url: string, paths: readonly string[], isOver: () => boolean) {
  const agents = [new Agent({ keepAlive: false }), new Agent({ keepAlive: true, maxSockets: 2 })];
  const ways = [{}, { accept: "application/x-bcs" }, { "accept-encoding": "gzip" }];
  const first = new Map<string, string>();
  const failed: string[] = [];
  let answered = 0;
  while (!isOver()) {
    const [path, headers] = [oneOf(paths), oneOf(ways)];
    const key = `${path} ${JSON.stringify(headers)}`;
    const said = await rawRequest(url + path, { agent: oneOf(agents), headers }).then(
      ({ status, body }) => `${status} ${body.toString("base64")}`,
      (error) => String(error),
    );
    if (!first.has(key)) first.set(key, said);
    if (said.startsWith("200 ") && said === first.get(key)) answered += 1;
    else failed.push(`${key}: ${said.slice(0, 200)}`);
    await delay(5);
  }
  for (const agent of agents) agent.destroy();
  return { answered, failed };
}

test("every good client is answered while others misbehave in every way at once", async ({ place }) => {
  const db = place.file("archive.db");
  const many = manyAccounts(8, { packages: 8, seed: 3 });
  await using node = await startSimNode({ ledger: many.ledger });
  const paths = [...many.addresses()].map((address) => `/accounts/${address}`);
  await crawl(db, node.url, [...many.addresses()]);
  await using served = await startServeProcess(["--db", db]);
  const until = performance.now() + SECONDS * 1000;
  const isOver = () => performance.now() > until;
  const [good] = await Promise.all([
    askWell(served.url, [...paths, ...paths.map((path) => `${path}/modules`)], isOver),
    ...Object.values(abuses).map((abuse) => misbehave(abuse, served.port, paths, isOver)),
  ]);
  expect(good.failed).toEqual([]);
  expect(good.answered).toBeGreaterThan(10);
  expect(served.stderr()).not.toContain("could not be answered");
  expect(await served.stop()).toBe(0);
});
