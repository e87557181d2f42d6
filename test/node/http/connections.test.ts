import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { endlessBody, gatewayPage, planFaults } from "../../../sim/faults/index.ts";
import { type SimNode, startSimNode } from "../../../sim/index.ts";
import { closing } from "../../../src/core/base/async.ts";
import { type NodeOptions, openNode } from "../../../src/core/node/open-node.ts";
import { listen, ManualClock } from "../../support/index.ts";
import { address, smallLedger } from "../small-ledger.ts";

/** A proxy that forwards plain HTTP and refuses tunnels, and remembers what it was asked for. */
class LoggingProxy {
  readonly server: Server;
  readonly asked: string[] = [];
  readonly credentials: (string | undefined)[] = [];
  /** The status with which it refuses tunnels. */
  refuses = "403 Forbidden";

  constructor() {
    this.server = createServer(async (request, response) => {
      this.asked.push(`GET ${request.url}`);
      this.credentials.push(request.headers["proxy-authorization"]);
      const answer = await fetch(request.url as string, { headers: request.headers as Record<string, string> });
      const body = Buffer.from(await answer.arrayBuffer());
      const headers = Object.fromEntries(
        [...answer.headers].filter(([name]) => !/^(content-encoding|content-length|connection)$/.test(name)),
      );
      response.writeHead(answer.status, headers).end(body);
    });
    this.server.on("connect", (request, socket) => {
      this.asked.push(`CONNECT ${request.url}`);
      socket.end(`HTTP/1.1 ${this.refuses}\r\n\r\n`);
    });
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }
}

describe("openConnections", () => {
  let proxy: LoggingProxy;
  let sim: SimNode;
  beforeEach(async () => {
    proxy = new LoggingProxy();
    await listen(proxy.server);
    sim = await startSimNode({ ledger: smallLedger() });
  });
  afterEach(async () => {
    await sim.close();
    proxy.server.closeAllConnections();
    proxy.server.close();
  });

  const nodeWith = (proxies: { http?: string; https?: string; except?: string }, more: Partial<NodeOptions> = {}) => {
    const all = { http: undefined, https: undefined, except: undefined, ...proxies };
    return closing(openNode({ url: sim.url, clock: new ManualClock({ skipSleeps: true }), proxies: all, ...more }));
  };

  test("requests go through the proxy of HTTP_PROXY, with its credentials, and the node says which without them", async () => {
    await using node = nodeWith({ http: proxy.url.replace("//", "//user:secret@") });
    expect((await node.account(address("0xa11ce"), { version: 100n })).value.sequenceNumber).toBe(2n ** 63n + 1n);
    expect(proxy.asked).toEqual([`GET ${sim.url}/accounts/${address("0xa11ce")}?ledger_version=100`]);
    expect(proxy.credentials).toEqual([`Basic ${Buffer.from("user:secret").toString("base64")}`]);
    expect(node.proxy()).toBe(proxy.url);
  });

  test.each(["*", "127.0.0.1", "example.com, 127.0.0.1"])("a host of NO_PROXY (%s) is asked directly", async (except) => {
    await using node = nodeWith({ http: proxy.url, except });
    await node.index();
    expect(proxy.asked).toEqual([]);
    expect(node.proxy()).toBeUndefined();
  });

  test("an https: node is reached through a tunnel, by HTTPS_PROXY and else by HTTP_PROXY; a refused tunnel is a node not reached", async () => {
    for (const proxies of [{ https: proxy.url }, { http: proxy.url }]) {
      await using node = nodeWith(proxies, { url: "https://node.example:444/v1" });
      await expect(node.index()).rejects.toMatchObject({ kind: "node_down" });
      expect(node.proxy()).toBe(proxy.url);
    }
    expect(new Set(proxy.asked)).toEqual(new Set(["CONNECT node.example:444"]));
  });

  test("a proxy that wants to know who asks ends it at once", async () => {
    proxy.refuses = "407 Proxy Authentication Required";
    await using node = nodeWith({ https: proxy.url }, { url: "https://node.example:444/v1" });
    const said = { kind: "credentials", facts: { attempts: 1 }, message: expect.stringContaining("HTTPS_PROXY=http://user:password@host") };
    await expect(node.index()).rejects.toMatchObject(said);
    await sim.close();
    sim = await startSimNode({ ledger: smallLedger(), faults: planFaults([{ fault: gatewayPage(407) }]) });
    // Without a tunnel, from the proxy of a plain node, and from one before the node.
    for (const [proxies, url] of [
      [{ http: new URL(sim.url).origin }, "http://node.example/v1"],
      [{}, sim.url],
    ] as const) {
      await using plain = nodeWith(proxies, { url });
      await expect(plain.index()).rejects.toMatchObject(said);
    }
  });

  test("HTTPS_PROXY alone does not catch a plain http: node", async () => {
    await using node = nodeWith({ https: proxy.url });
    await node.index();
    expect(proxy.asked).toEqual([]);
  });

  test("what comes through a proxy is bounded as what comes directly", async () => {
    await sim.close();
    sim = await startSimNode({ ledger: smallLedger(), faults: planFaults([{ fault: endlessBody(2_000_000) }]) });
    await using node = nodeWith({ http: proxy.url }, { limits: { wireBytes: 100_000, bodyBytes: 100_000 } });
    await expect(node.index()).rejects.toMatchObject({ kind: "too_large" });
  });

  test.each(["proxy.example:3128", "socks5://127.0.0.1:1080", "nonsense"])(
    "the address %s is refused before anything is sent, and not repeated",
    (text) => {
      expect(() => nodeWith({ http: `${text}?key=secret` })).toThrow(/must look like http:\/\/host:port/);
      expect(() => nodeWith({ http: `${text}?key=secret` })).not.toThrow(/secret/);
    },
  );
});
