import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { createServer } from "node:net";
import { describe, expect, test } from "vitest";
import type { RequestRecord } from "../../../src/capabilities/serve/http/app.ts";
import { serveLimits } from "../../../src/capabilities/serve/http/bounds.ts";
import { listening, rawRequest, temporaryDirectory } from "../../support/index.ts";
import { startServeProcess } from "./support/serve-process.ts";
import { serveDatabase } from "./support/served-archive.ts";
import { variedArchive } from "./support/varied-archive.ts";

const place = temporaryDirectory();
const db = place.file("archive.db");
await variedArchive(db, 1);

const forwarded = (client: string) => ({ headers: { "x-forwarded-for": client } });

describe("clients behind a proxy", () => {
  test("are named by X-Forwarded-For when the proxy is trusted, and only then", async () => {
    const clients: string[] = [];
    const onRequest = ({ client }: RequestRecord) => void clients.push(client);
    await using trusting = await serveDatabase(db, { onRequest, trustProxy: "127.0.0.1" });
    await using plain = await serveDatabase(db, { onRequest });
    for (const { url } of [trusting, plain]) await rawRequest(url, forwarded("203.0.113.7"));
    // What a client itself puts in front of the proxy's entry is not believed.
    await rawRequest(trusting.url, forwarded("198.51.100.1, 203.0.113.8"));
    expect(clients).toEqual(["203.0.113.7", "127.0.0.1", "203.0.113.8"]);
  });

  test("have each their own rate, and are told when to come back", async () => {
    await using served = await serveDatabase(db, { clientRate: 1, trustProxy: "127.0.0.1" });
    const ask = (client: string) =>
      rawRequest(`${served.url}/accounts/0x1`, { headers: { "x-forwarded-for": client, origin: "https://example.org" } });
    const first = await Promise.all(Array.from({ length: 10 }, () => ask("203.0.113.7")));
    expect(first.map(({ status }) => status)).toEqual(first.map(() => 200));
    const refused = await ask("203.0.113.7");
    expect(refused.status).toBe(429);
    expect(JSON.parse(refused.body.toString())).toEqual({
      message: expect.stringContaining("10 requests in 10 seconds"),
      error_code: "rate_limited",
      vm_error_code: null,
    });
    expect(Number(refused.headers["retry-after"])).toBeGreaterThan(0);
    expect(refused.headers["access-control-allow-origin"]).toBe("https://example.org");
    expect((await ask("203.0.113.8")).status).toBe(200);
    expect((await rawRequest(`${served.origin}/metrics`, forwarded("203.0.113.7"))).status).toBe(200);
  });

  test.each(["localhost", "10.0.0.0/33", "::1/129", "127.0.0.1,"])("are trusted by no list such as %j", async (trustProxy) => {
    await expect(serveDatabase(db, { trustProxy })).rejects.toThrow("--trust-proxy wants addresses or subnets");
  });
});

describe("a Unix socket", () => {
  const over = (socketPath: string, path: string): Promise<number> =>
    new Promise((resolve, reject) => {
      const sent = request({ socketPath, path, headers: { "x-forwarded-for": "203.0.113.9" } }, (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      });
      sent.on("error", reject);
      sent.end();
    });

  test("is answered on, may be opened by its user and group, and names clients as the proxy does", async () => {
    const socket = place.file("serve.sock");
    const clients: string[] = [];
    await using served = await serveDatabase(db, {
      address: { socket },
      trustProxy: (_, hop) => hop === 0,
      clientRate: 100,
      onRequest: ({ client }) => void clients.push(client),
    });
    expect(served.origin).toBe(`unix:${socket}`);
    expect(await over(socket, "/v1/accounts/0x1")).toBe(200);
    expect(statSync(socket).mode & 0o777).toBe(0o660);
    expect(clients).toEqual(["203.0.113.9"]);
  });

  test("that a killed service left behind makes way; one that is answered on, or a file, does not", async () => {
    const socket = place.file("dead.sock");
    await leaveDeadSocket(socket);
    await using served = await serveDatabase(db, { address: { socket } });
    expect(await over(socket, "/v1")).toBe(200);
    await expect(serveDatabase(db, { address: { socket } })).rejects.toThrow("EADDRINUSE");
    expect(await over(socket, "/v1")).toBe(200);
    const file = place.file("precious.txt");
    writeFileSync(file, "precious");
    await expect(serveDatabase(db, { address: { socket: file } })).rejects.toThrow("--socket");
    expect(statSync(file).size).toBe(8);
    mkdirSync(place.file("folder"));
    await expect(serveDatabase(db, { address: { socket: place.file("folder") } })).rejects.toThrow("--socket");
    expect(served.origin).toContain("dead.sock");
  });

  /** A socket on which nothing listens any more: as after a kill, the file stays. */
  async function leaveDeadSocket(path: string): Promise<void> {
    const { execFileSync } = await import("node:child_process");
    const script = `require("node:net").createServer().listen(${JSON.stringify(path)}, () => process.kill(process.pid, "SIGKILL"))`;
    try {
      execFileSync(process.execPath, ["-e", script], { stdio: "ignore" });
    } catch {
      // Killed, as it was meant to be.
    }
    expect(statSync(path).isSocket()).toBe(true);
  }
});

describe("the metrics", () => {
  test("are beside the API, on an address of their own, or nowhere", async () => {
    await using own = await serveDatabase(db, { metrics: { host: "127.0.0.1", port: 0 } });
    await rawRequest(`${own.url}/accounts/0x1`);
    const answer = await rawRequest(`${own.metricsOrigin}/metrics`);
    expect(answer.body.toString()).toContain('movedex_serve_answers_total{operation="account",status="200"} 1');
    expect((await rawRequest(`${own.origin}/metrics`)).status).toBe(404);
    expect((await rawRequest(`${own.metricsOrigin}/v1`)).status).toBe(404);
    await using off = await serveDatabase(db, { metrics: "off" });
    expect((await rawRequest(`${off.origin}/metrics`)).status).toBe(404);
  });

  test("on an address that is taken, keep the service from starting, and nothing stays open", async () => {
    await using taken = await listening(createServer());
    await expect(serveDatabase(db, { metrics: { host: "127.0.0.1", port: taken.port } })).rejects.toThrow(
      "EADDRINUSE. Give another --metrics.",
    );
  });
});

test("idle connections are kept longer than proxies and load balancers keep theirs", async () => {
  expect(serveLimits.idleMs).toBeGreaterThan(60_000);
  await using served = await serveDatabase(db);
  const answer = await rawRequest(served.url, { headers: { connection: "keep-alive" } });
  expect(answer.headers["keep-alive"]).toMatch(/^timeout=75\b/);
});

test("the unit for systemd starts a service that answers, with the options that it names", async () => {
  const unit = readFileSync(new URL("../../../jobs/examples/movedex-serve.service", import.meta.url), "utf8");
  const line = /^ExecStart=\S+ serve (.+)$/m.exec(unit)?.[1] ?? "";
  const args = line
    .replace(/--db \S+/, `--db ${db}`)
    .replace(/--port \d+/, "--port 0")
    .replace(/--metrics \d+/, "--metrics 0");
  await using served = await startServeProcess(args.split(" "));
  expect((await rawRequest(`${served.url}/accounts/0x1`)).status).toBe(200);
  expect(line).toContain("--trust-proxy 127.0.0.1");
  expect(await served.stop()).toBe(0);
});
