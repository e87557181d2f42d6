import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type SimNode, startSimNode } from "../../../../sim/index.ts";
import { pagesPlugin } from "../../../../src/capabilities/explorer/open.ts";
import { openForwarder } from "../../../../src/capabilities/serve/upstream/forwarder.ts";
import { openDatabase, type TestDatabase } from "../../../engine/support/postgres-databases.ts";
import { isLongRun } from "../../../run-size.ts";
import { findBinaries, knownVersions } from "../../../support/postgres/binaries.ts";
import { type CuttingProxy, cuttingProxy } from "../../../support/postgres/cutting-proxy.ts";
import { type Server, startServer } from "../../../support/postgres/server.ts";
import { askDatabase, crawl, jsonOf, type Settings, textOf } from "../support/served-archive.ts";
import { type VariedLedger, variedLedger } from "../support/varied-ledger.ts";

const paths = ["/v1", "/v1/accounts/0x1", "/v1/accounts/0x1/modules", "/v1/accounts/0x1/module/coin?ledger_version=500", "/v1/snapshots"];

/** An archive on a server, served with a clock that the test moves on. */
async function serveUrl(url: string, settings: Settings = {}) {
  let nowMs = 0;
  const lines: string[] = [];
  const clock = { now: () => 0, monotonic: () => nowMs, sleep: () => new Promise<void>(() => {}) };
  const served = await askDatabase(url, { clock, log: (_, message) => void lines.push(message), ...settings });
  const pass = (ms: number): void => {
    nowMs += ms;
  };
  const all = () => Promise.all(paths.map(async (path) => [path, (await served.ask(path)).body.toString()]));
  return { lines, pass, all, ask: served.ask, [Symbol.asyncDispose]: () => served[Symbol.asyncDispose]() };
}

// As with shared servers: the long run asks all versions, the short one the newest that can be had.
const versions = isLongRun ? knownVersions : knownVersions.filter((version) => typeof findBinaries(version) !== "string").slice(0, 1);
for (const version of versions.length === 0 ? knownVersions : versions) {
  const found = findBinaries(version);
  describe.skipIf(typeof found === "string")(`an archive that is served from PostgreSQL ${version}`, () => {
    let server: Server;
    let node: SimNode;
    let scene: VariedLedger;
    let at: TestDatabase;
    let url: string;
    const behind = ({ port }: CuttingProxy) => `${url.replace(`:${server.port}/`, `:${port}/`)}?connect_timeout=5`;

    beforeAll(async () => {
      if (typeof found === "string") return;
      server = await startServer(found);
      scene = variedLedger();
      node = await startSimNode({ ledger: scene.ledger });
      at = await openDatabase(server.port);
      url = at.url();
      scene.next();
      await crawl(url, node.url, scene.accounts);
    });
    afterAll(async () => {
      await node.close();
      await server.remove();
    });

    test.each(["fast", "kill"] as const)("is 503 while the server is away (%s), says so, and is there when it is back", async (how) => {
      const pages = pagesPlugin(url);
      await using served = await serveUrl(url, { pages });
      const before = await served.all();
      expect((await served.ask("/coverage")).status).toBe(200);
      await server.stop(how);
      served.pass(250);
      for (const path of [...paths, "/v1/-/healthy", "/v1/info"]) {
        const answer = await served.ask(path);
        expect([path, answer.status, answer.headers["retry-after"], answer.headers["cache-control"]]).toEqual([path, 503, "2", "no-store"]);
        expect(jsonOf(answer)["message"]).toContain("the database of this archive gives no answer");
      }
      const page = await served.ask("/coverage");
      expect([page.status, page.headers["retry-after"], textOf(page).includes("No answer from the database")]).toEqual([503, "2", true]);
      expect((await served.ask("/v1/spec.json")).status).toBe(200);
      expect(textOf(await served.ask("/metrics"))).toContain("movedex_serve_database_up 0\n");
      expect(served.lines).toEqual([expect.stringContaining("the database does not answer")]);

      await server.start();
      served.pass(250);
      expect(await served.all()).toEqual(before);
      expect((await served.ask("/v1/-/healthy")).status).toBe(200);
      expect((await served.ask("/coverage")).status).toBe(200);
      expect(textOf(await served.ask("/metrics"))).toContain("movedex_serve_database_up 1\n");
      expect(served.lines.slice(1)).toEqual(["the database answers again"]);
    });

    // These wait for real time limits, beside one another.
    test.concurrent("is 503 where what is sent on one connection is dropped, and is there again afterwards", async () => {
      await using proxy = await cuttingProxy(server.port);
      await using served = await serveUrl(behind(proxy));
      const before = await served.all();
      // A balancer that has forgotten one flow costs those who wait for that answer. The next message may also be the end of an
      // earlier question, for which nobody waits any more: then the next one is forgotten.
      const ask = () => {
        proxy.deafen(1);
        served.pass(250);
        return served.ask(paths[0] as string);
      };
      let unheard = await ask();
      for (let tries = 1; tries < 5 && unheard.status === 200; tries++) unheard = await ask();
      expect([unheard.status, unheard.headers["retry-after"]]).toEqual([503, "2"]);
      served.pass(250);
      expect(await served.all()).toEqual(before);
    });

    test.concurrent("is 503 where all that is sent to the server is dropped, and is there again afterwards", async () => {
      await using proxy = await cuttingProxy(server.port);
      await using served = await serveUrl(behind(proxy), { pages: pagesPlugin(behind(proxy)) });
      const before = await served.all();
      proxy.fallSilent();
      served.pass(250);
      const silent = await Promise.all([paths[0] as string, "/coverage"].map((path) => served.ask(path)));
      expect(silent.map(({ status, headers }) => [status, headers["retry-after"]])).toEqual([
        [503, "2"],
        [503, "2"],
      ]);
      await proxy.letGoOn();
      served.pass(250);
      expect(await served.all()).toEqual(before);
    });

    test("lets the node in front of which it stands answer while the server is away", async () => {
      const forwarder = openForwarder({
        url: node.url,
        connections: 4,
        silenceMs: 10_000,
        proxies: { http: undefined, https: undefined, except: undefined },
      });
      await using served = await serveUrl(url, { upstream: forwarder });
      const [before] = [await served.ask("/v1/accounts/0x1?ledger_version=500")];
      expect(before.headers["x-movedex-source"]).toBe("archive");
      await server.stop();
      served.pass(250);
      const answer = await served.ask("/v1/accounts/0x1?ledger_version=500");
      expect([answer.status, answer.headers["x-movedex-source"], answer.body.toString()]).toEqual([
        200,
        "upstream",
        before.body.toString(),
      ]);
      expect((await served.ask("/v1")).status).toBe(200);
      await server.start();
      served.pass(250);
      expect((await served.ask("/v1/accounts/0x1?ledger_version=500")).headers["x-movedex-source"]).toBe("archive");
      await forwarder.close();
    });

    test("shows a seal within a quarter second in every service on one database", async () => {
      const replicas = [await serveUrl(url), await serveUrl(url), await serveUrl(url)];
      const newest = () => Promise.all(replicas.map(async ({ ask }) => (await ask("/v1")).headers["x-aptos-ledger-version"]));
      expect(await newest()).toEqual(["500", "500", "500"]);
      scene.next();
      await crawl(url, node.url, scene.accounts);
      for (const { pass } of replicas) pass(250);
      expect(await newest()).toEqual(["900", "900", "900"]);
      const [first, ...others] = await Promise.all(replicas.map(({ all }) => all()));
      for (const other of others) expect(other).toEqual(first);
      for (const replica of replicas) await replica[Symbol.asyncDispose]();
    });

    test("answers from another archive within a second after that one took its place, and all of it", async () => {
      // Its rows have other numbers.
      await crawl(`${url}?schema=other`, node.url, [...scene.accounts].reverse(), { version: 900n });
      await using served = await serveUrl(url);
      expect(jsonOf(await served.ask("/v1/info"))["snapshots"]).toBe(2);
      await served.all();
      await at.prepare("ALTER SCHEMA movedex RENAME TO aside; ALTER SCHEMA other RENAME TO movedex");
      served.pass(1000);
      const answers = await served.all();
      await using fresh = await serveUrl(url);
      expect(answers).toEqual(await fresh.all());
      expect(jsonOf(await served.ask("/v1/info"))["snapshots"]).toBe(1);
      expect(served.lines).toEqual([expect.stringContaining("the served database was replaced; serving the new one")]);
    });
  });
}
