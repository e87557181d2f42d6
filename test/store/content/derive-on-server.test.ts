import { expect, test } from "vitest";
import { sql } from "../../../src/schema/sql/sql.ts";
import { openEngine } from "../../../src/store/connection/open-engine.ts";
import { openStore, type Store } from "../../../src/store/store.ts";
import { expectSamePublicRows, publicRows } from "../../flow/server/public-rows.ts";
import { eachPostgres } from "../engine/support/postgres-databases.ts";
import { crawlMuch, muchBytecode, pinMuch, visitMuch } from "../support/much-bytecode.ts";
import { NOON, temporaryStore } from "../support/temporary-store.ts";

const ACCOUNTS = 36;
const EACH = 20;

const openWorker = (url: string): Promise<Store> =>
  openStore(url, { mode: "write", now: () => NOON, share: { command: "sync", node: "elsewhere" } });

const derive = (store: Store, signal?: AbortSignal) => store.inTurn("derive", (turn) => turn.derive(signal && { signal }), signal);

async function leasesIn(url: string): Promise<string[]> {
  const { engine, close } = await openEngine(url, { mode: "join" });
  try {
    return (await engine.all<[string]>(sql`SELECT name FROM _leases WHERE name = 'derive'`)).map(([name]) => name);
  } finally {
    await close();
  }
}

async function rowsOfFile(): Promise<Record<string, string[]>> {
  await using file = await temporaryStore();
  await crawlMuch(file.store, ACCOUNTS, EACH);
  await file.store.derive();
  return publicRows(file.path);
}

eachPostgres("deriving beside a crawl on a server", (open, version) => {
  // One server is enough for what is long.
  const isOther = version !== 18;

  test("begins before the crawl ends, and every public view is that of a file; the turn is given back", async () => {
    const url = (await open()).url();
    const store = await openWorker(url);
    await crawlMuch(store, ACCOUNTS, EACH);
    // Nobody has asked for it yet.
    await expect.poll(() => store.underived()).toBeLessThan(ACCOUNTS * EACH - 256);
    const left = await derive(store);
    expect(left.undecodable).toBe(ACCOUNTS);
    expect(await store.underived()).toBe(0);
    expect(await leasesIn(url)).toEqual([]);
    await store.close();
    await expectSamePublicRows(url, await rowsOfFile());
  });

  test.skipIf(isOther)("of two workers, each of whose threads takes the turn that the other leaves, gives the same", async () => {
    const url = (await open()).url();
    const workers = [await openWorker(url), await openWorker(url)] as const;
    const all = muchBytecode(2 * ACCOUNTS);
    await pinMuch(workers[0], all);
    await Promise.all(workers.map((store, i) => visitMuch(store, all.slice(i * ACCOUNTS, (i + 1) * ACCOUNTS), EACH)));
    const found = await Promise.all(workers.map((store) => derive(store)));
    expect(found.reduce((sum, { undecodable }) => sum + undecodable, 0)).toBe(2 * ACCOUNTS);
    await workers[0].seal(10n, { now: NOON });
    for (const store of workers) await store.close();
    const beside = await publicRows(url);
    const { engine, close } = await openEngine(url, { mode: "join" });
    await engine.run(sql`UPDATE _bytecodes SET derived_by = 'movedex 0' WHERE id = 1`);
    await close();
    const again = await openWorker(url);
    expect(await derive(again)).toEqual({ derived: 2 * ACCOUNTS * EACH, undecodable: 2 * ACCOUNTS });
    await again.close();
    await expectSamePublicRows(url, beside);
  });

  test.skipIf(isOther)("that is ended in the midst leaves whole batches and no turn, and the next worker does the rest", async () => {
    const url = (await open()).url();
    const stopped = await openWorker(url);
    await crawlMuch(stopped, ACCOUNTS, EACH);
    await expect(derive(stopped, AbortSignal.abort())).rejects.toMatchObject({ name: "AbortError" });
    expect(await leasesIn(url)).toEqual([]);
    const { engine, close } = await openEngine(url, { mode: "join" });
    const halves = sql`SELECT count(*) FROM _abis WHERE id NOT IN (SELECT abi_id FROM _bytecodes WHERE abi_id IS NOT NULL)`;
    expect(await engine.first(halves)).toEqual([0]);
    await close();
    const next = await openWorker(url);
    await derive(next);
    expect(await next.underived()).toBe(0);
    await next.close();
    await stopped.close();
    await expectSamePublicRows(url, await rowsOfFile());
  });
});
