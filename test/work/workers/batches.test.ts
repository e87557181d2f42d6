import { afterEach, beforeEach, expect, test } from "vitest";
import { databaseAt } from "../../../src/engine/database-at.ts";
import type { Address } from "../../../src/move/address.ts";
import { sql } from "../../../src/schema/sql/sql.ts";
import { openStore, type Store } from "../../../src/work/store.ts";
import type { Batch } from "../../../src/work/workers/batches.ts";
import { eachPostgres, type TestDatabase } from "../../engine/support/postgres-databases.ts";
import { sized } from "../../run-size.ts";
import { addressOf, NOON, pinAt, recordOf, temporaryStore } from "../../support/store/temporary-store.ts";

const COUNT = 40;
const SIZE = 10;
/** A hundred on the newest version of PostgreSQL, fewer on the others. */
const racesOn = (version: number) => sized(2, version === 18 ? 30 : 10);
const V = 100n;
const addresses = Array.from({ length: COUNT }, (_, i) => addressOf(0x100 + i));
const pin = pinAt(V);
const visitOf = (address: Address) => ({ address, account: recordOf(1n), modules: [] });
const leasesOf = ({ lease }: Batch) => (lease === undefined ? [] : [lease]);

async function readWhole(store: Store, batch: Batch): Promise<void> {
  const visits = (await store.accountsOf(batch)).map(({ address }) => visitOf(address));
  await store.commitVisits(V, visits, leasesOf(batch));
  await store.completeBatch(batch);
}

eachPostgres("batches that are shared", (open, server) => {
  let at: TestDatabase;
  let stores: Store[];
  beforeEach(async () => {
    at = await open();
    stores = [];
  });
  afterEach(async () => {
    for (const store of stores) await store.close();
  });
  const join = async () => {
    const store = await openStore(at.url(), { mode: "write", now: () => NOON, share: { command: "sync", node: "http://node" } });
    stores.push(store);
    return store;
  };
  /** Lets every lease run out, as when nobody renewed them. */
  const expireAll = async () => {
    const { engine, close } = await databaseAt(at.url()).open({ mode: "join" });
    await engine.run(sql`UPDATE _leases SET until = since`);
    await close();
  };

  test("are made once, and each is one worker's, in the order of the plan", async () => {
    const [one, two] = [await join(), await join()];
    await one.createPin(pin, addresses);
    await Promise.all([one.openBatches(V), two.openBatches(V)]);
    expect(await one.batchesLeft(V)).toEqual({ batches: COUNT / SIZE, accounts: COUNT, dueInMs: 0 });
    const taken = await Promise.all([one, two, one, two, one].map((store) => store.takeBatch(V)));
    expect(taken.flatMap((batch) => (batch === undefined ? [] : [batch.first])).sort((a, b) => a - b)).toEqual([0, 10, 20, 30]);
    const accounts = await Promise.all(taken.map((batch) => (batch === undefined ? [] : one.accountsOf(batch))));
    expect(new Set(accounts.flat().map(({ address }) => address))).toEqual(new Set(addresses));
    expect(accounts.flat()).toHaveLength(COUNT);
    // Any of the five may be the one for whom none was left.
    const had = taken.find((batch) => batch !== undefined) as Batch;
    await one.releaseBatch(had);
    expect(await two.takeBatch(V)).toMatchObject({ first: had.first });
  });

  test("go to another when their worker shows no sign of life, and what that one writes then changes nothing", async () => {
    const [late, next] = [await join(), await join()];
    await late.createPin(pin, addresses);
    await late.openBatches(V);
    const lost = (await late.takeBatch(V)) as Batch;
    const visits = (await late.accountsOf(lost)).map(({ address }) => visitOf(address));
    await expireAll();
    const taken = (await next.takeBatch(V)) as Batch;
    expect(taken).toMatchObject({ first: lost.first, lease: { fence: 2 } });
    for (const write of [
      () => late.commitVisits(V, visits, leasesOf(lost)),
      () => late.completeBatch(lost),
      () => late.postponeBatch(lost, 0),
    ])
      await expect(write()).rejects.toMatchObject({ code: "MOVEDEX_STORE_FENCED", facts: { lease: lost.lease?.name } });
    await late.releaseBatch(lost);
    expect(await late.progress(V)).toMatchObject({ planned: COUNT, visited: 0 });
    await readWhole(next, taken);
    expect(await late.progress(V)).toMatchObject({ planned: COUNT - SIZE, visited: SIZE });
  });

  test("that are put off come after all others, and not before their time", async () => {
    const store = await join();
    await store.createPin(pin, addresses);
    await store.openBatches(V);
    const first = (await store.takeBatch(V)) as Batch;
    await store.postponeBatch(first, 3_600_000);
    const order = [];
    for (let batch = await store.takeBatch(V); batch !== undefined; batch = await store.takeBatch(V)) {
      order.push(batch.first);
      await readWhole(store, batch);
    }
    expect(order).toEqual([10, 20, 30]);
    const left = await store.batchesLeft(V);
    expect(left).toMatchObject({ batches: 1, accounts: SIZE });
    expect(left.dueInMs).toBeGreaterThan(3_000_000);
  });

  test("that are put off come again in the next round", async () => {
    const store = await join();
    await store.createPin(pin, addresses.slice(0, 1));
    await store.openBatches(V);
    for (const round of [1, 2, 3]) {
      const batch = (await store.takeBatch(V)) as Batch;
      expect(batch.round).toBe(round);
      await store.postponeBatch(batch, 0);
    }
  });

  test("are sealed exactly once, however the finish is raced", async () => {
    const workers = await Promise.all(Array.from({ length: 4 }, join));
    const races = racesOn(server);
    let sealed = 0;
    for (let n = 0; n < races; n++) {
      const version = V + BigInt(n);
      const first = workers[0] as Store;
      await first.createPin(pinAt(version), addresses.slice(0, 2));
      await first.commitVisits(version, addresses.slice(0, 2).map(visitOf));
      const finish = (store: Store) =>
        store.withLease("plan", async (turn) => {
          const held = await turn.sealOf(version);
          return held ?? { ...(await turn.seal(version, { now: NOON })), isOurs: true };
        });
      const results = await Promise.all(workers.map(finish));
      sealed += results.filter((result) => "isOurs" in result).length;
      expect(new Set(results.map(({ digest, accounts }) => `${digest} ${accounts}`)).size).toBe(1);
    }
    expect(sealed).toBe(races);
  }, 1_200_000);

  test("a turn that was taken over seals nothing, and finds the other's seal when it comes again", async () => {
    const [late, next] = [await join(), await join()];
    await late.createPin(pin, addresses.slice(0, 1));
    await late.commitVisits(V, addresses.slice(0, 1).map(visitOf));
    const wake = Promise.withResolvers<void>();
    const stopped = Promise.withResolvers<void>();
    const refused = Promise.withResolvers<unknown>();
    const lateSeal = late.withLease("plan", async (turn) => {
      stopped.resolve();
      await wake.promise;
      const held = await turn.sealOf(V);
      if (held !== undefined) return { ...held, isOurs: false };
      const seal = turn.seal(V, { now: NOON });
      seal.catch(refused.resolve);
      return { ...(await seal), isOurs: true };
    });
    await stopped.promise;
    await expireAll();
    const result = await next.withLease("plan", async (turn) => {
      wake.resolve();
      expect(await refused.promise).toMatchObject({ code: "MOVEDEX_STORE_FENCED" });
      return turn.seal(V, { now: NOON + 1 });
    });
    expect(result).toMatchObject({ status: "sealed", accounts: 1 });
    expect(await lateSeal).toEqual({ ...result, isOurs: false });
  });
});

test("of a process that is alone are pages of the plan, made anew by the next run", async () => {
  await using at = await temporaryStore();
  const many = Array.from({ length: 1_100 }, (_, i) => addressOf(0x1000 + i));
  await at.store.createPin(pin, many);
  await at.store.openBatches(V);
  const [first, second] = [await at.store.takeBatch(V), await at.store.takeBatch(V)];
  expect([first, second]).toEqual([
    { ledgerVersion: V, first: 0, last: 499, round: 1, lease: undefined },
    { ledgerVersion: V, first: 500, last: 999, round: 1, lease: undefined },
  ]);
  await readWhole(at.store, second as Batch);
  await at.store.openBatches(V);
  expect(await at.store.batchesLeft(V)).toMatchObject({ batches: 2, accounts: 600 });
  expect(await at.store.takeBatch(V)).toMatchObject({ first: 0, last: 499 });
  expect(await at.store.takeBatch(V)).toMatchObject({ first: 1000, last: 1099 });
  expect(await at.store.takeBatch(V)).toBeUndefined();
});
