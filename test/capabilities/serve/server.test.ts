import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { describe, expect, test } from "vitest";
import { frameworkError } from "../../../src/capabilities/serve/http/answer.ts";
import { asWords, ended, rawRequest, temporaryDirectory } from "../../support/index.ts";
import { type Settings, serveDatabase } from "./support/served-archive.ts";
import { variedArchive } from "./support/varied-archive.ts";

const place = temporaryDirectory();
const db = place.file("archive.db");
await variedArchive(db, 1);

/** Sends text as it is and gives all that comes back until the connection ends. */
async function exchange(origin: string, text: string, settings: { readonly endAfter?: string } = {}): Promise<string> {
  const socket = connect(Number(new URL(origin).port), "127.0.0.1");
  socket.setEncoding("latin1");
  let seen = "";
  socket.on("data", (chunk: string) => {
    seen += chunk;
    if (settings.endAfter !== undefined && seen.includes(settings.endAfter)) socket.destroy();
  });
  socket.on("error", () => undefined);
  socket.write(text);
  await once(socket, "close");
  return seen;
}

/** More bytes than two sockets keep for a client that does not read. */
const SIZE = 16 * 1024 * 1024;

const largeFile: Settings["pages"] = {
  plugin: () => async (app) => void app.get("/large", async (_, reply) => reply.send(Buffer.alloc(SIZE))),
  noPage: async () => frameworkError(404, "not found"),
};

const get = (path: string, more = ""): string => `GET ${path} HTTP/1.1\r\nhost: x\r\n${more}\r\n`;

describe("a server", () => {
  test("answers HEAD with the headers of GET and no body", async () => {
    await using served = await serveDatabase(db);
    const url = `${served.url}/accounts/0x1/modules?limit=2`;
    const [head, whole] = [await rawRequest(url, { method: "HEAD" }), await rawRequest(url)];
    expect([head.status, head.body.length, whole.body.length > 0]).toEqual([200, 0, true]);
    for (const name of ["content-length", "etag", "x-aptos-cursor", "content-type"])
      expect(head.headers[name], name).toBe(whole.headers[name]);
  });

  test("takes any path without the framework's own refusals", async () => {
    await using served = await serveDatabase(db);
    for (const path of asWords`/v1/accounts/0x1/module/${"a".repeat(5000)} /v1/%zz /% /v1/accounts/%00 // /v1/accounts/0x1/module/é`) {
      const seen = await exchange(served.origin, get(Buffer.from(path, "utf8").toString("latin1"), "connection: close\r\n"));
      expect(seen, path).toMatch(/^HTTP\/1\.1 40[04] /);
      if (!path.includes("é")) expect(seen, path).toContain('"vm_error_code":null}');
    }
  });

  test("answers a target in the absolute form that proxies send", async () => {
    await using served = await serveDatabase(db);
    for (const target of ["http://example.org/v1/accounts/0x1?ledger_version=500", "HTTP://127.0.0.1:1/v1/accounts/0x1"]) {
      expect(await exchange(served.origin, get(target, "connection: close\r\n")), target).toMatch(/^HTTP\/1\.1 200 /);
    }
    for (const target of ["http://example.org", "*", "ftp://example.org/v1"]) {
      expect(await exchange(served.origin, get(target, "connection: close\r\n")), target).toMatch(/^HTTP\/1\.1 (?:200|404) /);
    }
  });

  test("does not read bodies, and ends the connection that brought one", async () => {
    await using served = await serveDatabase(db);
    for (const method of ["GET", "POST", "PUT"]) {
      const seen = await exchange(
        served.origin,
        `${method} /v1 HTTP/1.1\r\nhost: x\r\ncontent-length: 40\r\n\r\nGET /v1/snapshots HTTP/1.1\r\nhost: x\r\n\r\n`,
      );
      expect(seen.match(/HTTP\/1\.1/g), method).toHaveLength(1);
      expect(seen).toMatch(/connection: close/i);
    }
  });

  test.each([
    ["garbage", "\u0000\u0001\u0002 what\r\n\r\n", 400],
    ["a line without end", `GET /${"a".repeat(40_000)}`, 431],
    ["headers without end", `GET /v1 HTTP/1.1\r\nhost: x\r\n${"x: y\r\n".repeat(8000)}`, 431],
  ])("answers %s with one refusal and the end of the connection", async (_, text, status) => {
    await using served = await serveDatabase(db);
    const seen = await exchange(served.origin, text);
    expect(seen).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(seen).toContain('"error_code":"web_framework_error"');
  });

  test("ends connections that take too long over their headers", async () => {
    await using served = await serveDatabase(db, { limits: { headersMs: 100 } });
    expect(await exchange(served.origin, "GET /v1 HTTP/1.1\r\nx-slow: ")).toContain("408");
  });

  test("that is to stop waits for answers under way, and not for halves of requests", { timeout: 60_000 }, async () => {
    const [asked, told] = [Promise.withResolvers<void>(), Promise.withResolvers<string>()];
    const slowPage: Settings["pages"] = {
      plugin: () => async (app) =>
        void app.get("/slow", () => {
          asked.resolve();
          return told.promise;
        }),
      noPage: async () => frameworkError(404, "not found"),
    };
    const served = await serveDatabase(db, { pages: slowPage, limits: { headersMs: 290_000, stopMs: 3_600_000 } });
    const half = connect(Number(new URL(served.origin).port), "127.0.0.1").resume();
    half.write("GET /v1 HTTP/1.1\r\nx-slow: ");
    const answer = exchange(served.origin, get("/slow"));
    await asked.promise;
    const stopped = served[Symbol.asyncDispose]();
    const closed = once(half, "close");
    told.resolve("all of it");
    expect(await answer).toMatch(/all of it/);
    await Promise.all([stopped, closed]);
  });

  test("answers pipelined requests in their order, and ends a connection that sends far ahead", async () => {
    await using served = await serveDatabase(db, { limits: { requestsOfConnection: 20, idleMs: 200 } });
    const three = await exchange(served.origin, get("/v1") + get("/v1/nowhere") + get("/v1/snapshots", "connection: close\r\n"));
    expect([...three.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)).toEqual(["200", "404", "200"]);
    const many = await exchange(served.origin, get("/v1/accounts/0x1/modules").repeat(400));
    const statuses = [...many.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status);
    // Node refuses what was sent beyond the limit, and ends the connection.
    expect(statuses.slice(0, 20)).toEqual(Array.from({ length: 20 }, () => "200"));
    expect(statuses.slice(20).filter((status) => status !== "503")).toEqual([]);
    expect(many).toMatch(/connection: close/i);
    expect((await rawRequest(served.url)).status).toBe(200);
  });

  test("counts a connection's requests one at a time, so a client that pipelines leaves room for the others", async () => {
    await using served = await serveDatabase(db, { limits: { requestsAtOnce: 2 } });
    const many = await exchange(served.origin, get("/v1/accounts/0x1/modules").repeat(9) + get("/v1", "connection: close\r\n"));
    expect([...many.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)).toEqual(Array.from({ length: 10 }, () => "200"));
  });

  test("ends silent connections, so that others have their places", async () => {
    await using served = await serveDatabase(db, { limits: { connections: 5, headersMs: 100 } });
    const port = Number(new URL(served.origin).port);
    const silent = Array.from({ length: 5 }, () => connect(port, "127.0.0.1").on("error", () => undefined));
    await Promise.all(silent.map((socket) => once(socket.resume(), "close")));
    // On a busy machine one of these may be taken for silent, too.
    await expect.poll(async () => (await rawRequest(served.url)).status).toBe(200);
  });

  test("takes no more connections than it has places for", async () => {
    await using served = await serveDatabase(db, { limits: { connections: 5 } });
    const port = Number(new URL(served.origin).port);
    const silent = Array.from({ length: 12 }, () => connect(port, "127.0.0.1").on("error", () => undefined));
    let closed = 0;
    for (const socket of silent) socket.resume().once("close", () => (closed += 1));
    await expect.poll(() => closed).toBe(7);
    expect(served.gauges()["connections"]).toBe(5);
    for (const socket of silent) socket.destroy();
  });

  test.each(["stalledMs", "answerMs"] as const)("cuts a client off that does not take its answer (%s)", async (limit) => {
    const asked = Promise.withResolvers<number | undefined>();
    const pages: Settings["pages"] = {
      ...(largeFile as NonNullable<Settings["pages"]>),
      plugin: () => async (app) =>
        void app.get("/large", async (_, reply) => {
          asked.resolve(served.gauges()["requests_under_way"]);
          return reply.send(Buffer.alloc(SIZE));
        }),
    };
    await using served = await serveDatabase(db, { limits: { [limit]: 200 }, pages });
    const socket = connect(Number(new URL(served.origin).port), "127.0.0.1").on("error", () => undefined);
    socket.write(get("/large"));
    socket.pause();
    expect(await asked.promise).toBe(1);
    await expect.poll(() => served.gauges()["requests_under_way"]).toBe(0);
    socket.destroy();
  });

  test("cuts off those who take large answers slowly for longest, and nobody else, so that memory stays bounded", async () => {
    const shared = Buffer.alloc(SIZE);
    const pages: Settings["pages"] = {
      ...(largeFile as NonNullable<Settings["pages"]>),
      plugin: () => async (app) => {
        app.get("/own", async (_, reply) => reply.send(Buffer.alloc(SIZE)));
        app.get("/shared", async (_, reply) => reply.send(shared));
      },
    };
    await using served = await serveDatabase(db, { limits: { unsentBytes: 4 * SIZE }, pages });
    const port = Number(new URL(served.origin).port);
    const closed: number[] = [];
    const slow = async (path: string, index: number) => {
      const socket = connect(port, "127.0.0.1").on("error", () => undefined);
      socket.once("close", () => closed.push(index)).write(get(path));
      await once(socket, "readable");
      return socket;
    };
    const sockets: Socket[] = [];
    for (let index = 0; index < 12; index++) sockets.push(await slow(index % 4 === 0 ? "/shared" : "/own", index));
    // Three bodies of their own fit in beside the shared one, which all who ask for it take together.
    await expect.poll(() => served.gauges()["requests_under_way"]).toBe(6);
    for (const socket of sockets) socket.resume();
    await expect.poll(() => closed.toSorted((a, b) => a - b)).toEqual([1, 2, 3, 5, 6, 7]);
    expect((await rawRequest(`${served.origin}/own`)).body.length).toBe(SIZE);
    for (const socket of sockets) socket.destroy();
  });

  test("keeps no place for a client that takes a whole answer slowly", async () => {
    await using served = await serveDatabase(db, { limits: { requestsAtOnce: 1 }, pages: largeFile });
    const socket = connect(Number(new URL(served.origin).port), "127.0.0.1").on("error", () => undefined);
    socket.write(get("/large"));
    await once(socket, "readable");
    expect((await rawRequest(`${served.url}/accounts/0x1`)).status).toBe(200);
    expect(served.gauges()["requests_under_way"]).toBe(1);
    socket.destroy();
  });

  test("turns requests away when too many are under way, and says when to come back", async () => {
    await using served = await serveDatabase(db, { limits: { requestsAtOnce: 0 } });
    const answer = await rawRequest(served.url);
    expect([answer.status, answer.headers["retry-after"]]).toEqual([503, "1"]);
    expect(answer.body.toString()).toContain('"error_code":"overloaded"');
  });

  test("tells a client no more than that it failed, and its keeper all of it", async () => {
    const lines: string[] = [];
    const broken = {
      now: () => {
        throw new Error("a secret");
      },
      monotonic: () => 0,
      sleep: async () => undefined,
    };
    const settings: Settings = { clock: broken, log: (_, message) => void lines.push(message) };
    await using served = await serveDatabase(db, settings);
    const answer = await rawRequest(`${served.url}/-/healthy?duration_secs=1`);
    expect(answer.status).toBe(500);
    expect(JSON.parse(answer.body.toString())).toEqual({ message: "internal error", error_code: "internal_error", vm_error_code: null });
    expect(lines.join()).toContain("a secret");
  });

  test("refuses a port that is taken with a sentence", async () => {
    await using served = await serveDatabase(db);
    const { runCli } = await import("../../support/run-cli.ts");
    const { stderr } = await ended(runCli(["serve", "--db", db, "--port", new URL(served.origin).port]), 64);
    expect(stderr).toContain("EADDRINUSE");
    expect(stderr).toContain("--port");
  });
});
