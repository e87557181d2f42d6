import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sql } from "../../../src/core/db/schema/sql/sql.ts";
import { numbersEngine, openDatabase, publicEngine } from "../../engine/support/postgres-databases.ts";
import { cuttingProxy, findBinaries, ManualClock } from "../../support/index.ts";
import { type Server, startServer } from "../../support/postgres/server.ts";
import { sharedServers } from "../../support/postgres/servers.ts";

const add = sql`INSERT INTO numbers VALUES (:n)`;
const all = sql`SELECT n FROM numbers ORDER BY n`;
const MINUTE = 60_000;

for (const { version } of sharedServers) {
  const found = findBinaries(version);
  describe.skipIf(typeof found === "string")(`an engine with patience on PostgreSQL ${version}`, () => {
    let server: Server;
    beforeAll(async () => {
      if (typeof found !== "string") server = await startServer(found);
    }, MINUTE);
    afterAll(() => server.remove());

    test.each(["fast", "kill"] as const)("waits for a server that is stopped (%s) in the midst, and does the work once", async (how) => {
      const at = await openDatabase(server.port);
      const reasons: unknown[] = [];
      await using engine = await numbersEngine(at.url(), { patienceMs: MINUTE, onNotice: (sentence) => reasons.push(sentence) });
      let tries = 0;
      const restarted = engine.transaction(async (tx) => {
        await tx.run(add, { n: 1 });
        if (++tries === 1) {
          await server.stop(how);
          void server.start();
        }
        await tx.run(add, { n: 2 });
        return "done";
      });
      expect(await restarted).toBe("done");
      expect([tries, reasons.length]).toEqual([2, 1]);
      expect(await engine.all(all)).toEqual([[1], [2]]);
    });

    test.each([
      ["taken and closed", "closeAll"],
      ["refused", "refuse"],
    ] as const)("waits where connections are %s, says so once, and does all that was asked for once", async (_, fail) => {
      const at = await openDatabase(server.port);
      await using proxy = await cuttingProxy(server.port);
      const waiting = Promise.withResolvers<string>();
      let waits = 0;
      const onNotice = (sentence: string) => {
        waits++;
        waiting.resolve(sentence);
      };
      await using engine = await numbersEngine(at.url("postgres", proxy.port), { patienceMs: 5 * MINUTE, onNotice });
      await proxy[fail]();
      const done = Promise.all([1, 2, 3].map((n) => engine.run(add, { n })));
      expect(await waiting.promise).toContain("waiting for it for up to 5 min,");
      await proxy.letGoOn();
      expect(await done).toEqual([1, 1, 1]);
      expect(waits).toBe(1);
      expect(await engine.all(all)).toEqual([[1], [2], [3]]);
    });

    test("waits for a way on which nothing comes in time, and on which connections are closed, for as long as its patience lasts", async () => {
      const at = await openDatabase(server.port);
      await using proxy = await cuttingProxy(server.port);
      const clock = new ManualClock({ skipSleeps: true });
      let waits = 0;
      const onNotice = () => void waits++;
      const url = `${at.url("postgres", proxy.port)}?connect_timeout=5`;
      await using engine = await publicEngine(url, { patienceMs: 5 * MINUTE, onNotice, clock });
      const begun = clock.monotonic();
      proxy.closeAll();
      const lost = { code: "MOVEDEX_STORE_CUT", message: expect.stringContaining("the connection was lost") };
      await expect(engine.first(sql`SELECT 1`)).rejects.toMatchObject(lost);
      const waited = clock.monotonic() - begun;
      expect(waited).toBeGreaterThan(5 * MINUTE);
      // What comes after does not begin to wait anew, until the server has answered.
      await expect(engine.first(sql`SELECT 1`)).rejects.toMatchObject(lost);
      expect(clock.monotonic() - begun).toBe(waited);
      await proxy.letGoOn();
      expect(await engine.first(sql`SELECT 1`)).toEqual([1]);
      proxy.closeAll();
      await proxy.letGoOn();
      proxy.hold();
      const late = engine.first(sql`SELECT 1`);
      await expect.poll(() => waits).toBe(2);
      await proxy.letGoOn();
      expect(await late).toEqual([1]);
    });

    test("gives up when it is closed, and when its patience ends", async () => {
      const at = await openDatabase(server.port);
      const ended = await publicEngine(at.url(), { patienceMs: MINUTE, onNotice: () => void ended.close() });
      await using brief = await publicEngine(at.url(), { patienceMs: 1 });
      await using hasty = await publicEngine(at.url());
      await server.stop();
      for (const engine of [ended, brief, hasty]) {
        await expect(engine.first(sql`SELECT 1`)).rejects.toMatchObject({ facts: { path: at.url() } });
      }
      await server.start();
    });

    test.each(["unheard", "unanswered"] as const)("does a transaction again whose commit was %s", async (when) => {
      const at = await openDatabase(server.port);
      await using proxy = await cuttingProxy(server.port);
      await using engine = await numbersEngine(at.url("postgres", proxy.port), { patienceMs: MINUTE });
      let tries = 0;
      proxy.cutNextCommit(when);
      const cut = engine.transaction(async (tx) => {
        tries++;
        await tx.run(sql`INSERT INTO numbers VALUES (1) ON CONFLICT DO NOTHING`);
      });
      await cut;
      expect(tries).toBe(2);
      expect(await engine.all(all)).toEqual([[1]]);
    });
  });
}
