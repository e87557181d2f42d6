import { afterEach, beforeEach, expect, test } from "vitest";
import { pinQueries } from "../../../src/archive/snapshots/pins.ts";
import { sealQueries } from "../../../src/archive/snapshots/seal.ts";
import { visitQueries } from "../../../src/archive/snapshots/visits.ts";
import { databaseAt } from "../../../src/engine/database-at.ts";
import type { Engine } from "../../../src/engine/engine.ts";
import type { Address } from "../../../src/move/address.ts";
import { sql } from "../../../src/schema/sql/sql.ts";
import { openStore, type Store } from "../../../src/work/store.ts";
import { type Batch, batchQueries } from "../../../src/work/workers/batches.ts";
import { withLease } from "../../../src/work/workers/sharing.ts";
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

const batchesOf = ({ engine, sharing }: Store) => batchQueries(engine, sharing.take);

async function readWhole(engine: Engine, batches: ReturnType<typeof batchQueries>, batch: Batch): Promise<void> {
  const visits = (await batches.accountsOf(batch)).map(({ address }) => visitOf(address));
  await visitQueries(engine).commitVisits(V, visits, leasesOf(batch));
  await batches.completeBatch(batch);
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
    await pinQueries(one.engine).createPin(pin, addresses);
    await Promise.all([batchesOf(one).openBatches(V), batchesOf(two).openBatches(V)]);
    expect(await batchesOf(one).batchesLeft(V)).toEqual({ batches: COUNT / SIZE, accounts: COUNT, dueInMs: 0 });
    const taken = await Promise.all([one, two, one, two, one].map((store) => batchesOf(store).takeBatch(V)));
    expect(taken.flatMap((batch) => (batch === undefined ? [] : [batch.first])).sort((a, b) => a - b)).toEqual([0, 10, 20, 30]);
    const accounts = await Promise.all(taken.map((batch) => (batch === undefined ? [] : batchesOf(one).accountsOf(batch))));
    expect(new Set(accounts.flat().map(({ address }) => address))).toEqual(new Set(addresses));
    expect(accounts.flat()).toHaveLength(COUNT);
    // Any of the five may be the one for whom none was left.
    const had = taken.find((batch) => batch !== undefined) as Batch;
    await batchesOf(one).releaseBatch(had);
    expect(await batchesOf(two).takeBatch(V)).toMatchObject({ first: had.first });
  });

  test("go to another when their worker shows no sign of life, and what that one writes then changes nothing", async () => {
    const [late, next] = [await join(), await join()];
    await pinQueries(late.engine).createPin(pin, addresses);
    await batchesOf(late).openBatches(V);
    const lost = (await batchesOf(late).takeBatch(V)) as Batch;
    const visits = (await batchesOf(late).accountsOf(lost)).map(({ address }) => visitOf(address));
    await expireAll();
    const taken = (await batchesOf(next).takeBatch(V)) as Batch;
    expect(taken).toMatchObject({ first: lost.first, lease: { fence: 2 } });
    for (const write of [
      () => visitQueries(late.engine).commitVisits(V, visits, leasesOf(lost)),
      () => batchesOf(late).completeBatch(lost),
      () => batchesOf(late).postponeBatch(lost, 0),
    ])
      await expect(write()).rejects.toMatchObject({ code: "MOVEDEX_STORE_FENCED", facts: { lease: lost.lease?.name } });
    await batchesOf(late).releaseBatch(lost);
    expect(await pinQueries(late.engine).progress(V)).toMatchObject({ planned: COUNT, visited: 0 });
    await readWhole(next.engine, batchesOf(next), taken);
    expect(await pinQueries(late.engine).progress(V)).toMatchObject({ planned: COUNT - SIZE, visited: SIZE });
  });

  test("that are put off come after all others, and not before their time", async () => {
    const store = await join();
    await pinQueries(store.engine).createPin(pin, addresses);
    await batchesOf(store).openBatches(V);
    const first = (await batchesOf(store).takeBatch(V)) as Batch;
    await batchesOf(store).postponeBatch(first, 3_600_000);
    const order = [];
    for (let batch = await batchesOf(store).takeBatch(V); batch !== undefined; batch = await batchesOf(store).takeBatch(V)) {
      order.push(batch.first);
      await readWhole(store.engine, batchesOf(store), batch);
    }
    expect(order).toEqual([10, 20, 30]);
    const left = await batchesOf(store).batchesLeft(V);
    expect(left).toMatchObject({ batches: 1, accounts: SIZE });
    expect(left.dueInMs).toBeGreaterThan(3_000_000);
  });

  test("that are put off come again in the next round", async () => {
    const store = await join();
    await pinQueries(store.engine).createPin(pin, addresses.slice(0, 1));
    await batchesOf(store).openBatches(V);
    for (const round of [1, 2, 3]) {
      const batch = (await batchesOf(store).takeBatch(V)) as Batch;
      expect(batch.round).toBe(round);
      await batchesOf(store).postponeBatch(batch, 0);
    }
  });

  test("are sealed exactly once, however the finish is raced", async () => {
    const workers = await Promise.all(Array.from({ length: 4 }, join));
    const races = racesOn(server);
    let sealed = 0;
    for (let n = 0; n < races; n++) {
      const version = V + BigInt(n);
      const first = workers[0] as Store;
      await pinQueries(first.engine).createPin(pinAt(version), addresses.slice(0, 2));
      await visitQueries(first.engine).commitVisits(version, addresses.slice(0, 2).map(visitOf));
      const finish = (store: Store) =>
        withLease(store, "plan", async (turn) => {
          const held = await sealQueries(turn).sealOf(version);
          return held ?? { ...(await sealQueries(turn).seal(version, { now: NOON })), isOurs: true };
        });
      const results = await Promise.all(workers.map(finish));
      sealed += results.filter((result) => "isOurs" in result).length;
      expect(new Set(results.map(({ digest, accounts }) => `${digest} ${accounts}`)).size).toBe(1);
    }
    expect(sealed).toBe(races);
  }, 1_200_000);

  test("a turn that was taken over seals nothing, and finds the other's seal when it comes again", async () => {
    const [late, next] = [await join(), await join()];
    await pinQueries(late.engine).createPin(pin, addresses.slice(0, 1));
    await visitQueries(late.engine).commitVisits(V, addresses.slice(0, 1).map(visitOf));
    const wake = Promise.withResolvers<void>();
    const stopped = Promise.withResolvers<void>();
    const refused = Promise.withResolvers<unknown>();
    const lateSeal = withLease(late, "plan", async (turn) => {
      stopped.resolve();
      await wake.promise;
      const held = await sealQueries(turn).sealOf(V);
      if (held !== undefined) return { ...held, isOurs: false };
      const seal = sealQueries(turn).seal(V, { now: NOON });
      seal.catch(refused.resolve);
      return { ...(await seal), isOurs: true };
    });
    await stopped.promise;
    await expireAll();
    const result = await withLease(next, "plan", async (turn) => {
      wake.resolve();
      expect(await refused.promise).toMatchObject({ code: "MOVEDEX_STORE_FENCED" });
      return sealQueries(turn).seal(V, { now: NOON + 1 });
    });
    expect(result).toMatchObject({ status: "sealed", accounts: 1 });
    expect(await lateSeal).toEqual({ ...result, isOurs: false });
  });
});

test("of a process that is alone are pages of the plan, made anew by the next run", async () => {
  await using at = await temporaryStore();
  const many = Array.from({ length: 1_100 }, (_, i) => addressOf(0x1000 + i));
  const batches = batchQueries(at.engine, { now: () => NOON });
  await pinQueries(at.engine).createPin(pin, many);
  await batches.openBatches(V);
  const [first, second] = [await batches.takeBatch(V), await batches.takeBatch(V)];
  expect([first, second]).toEqual([
    { ledgerVersion: V, first: 0, last: 499, round: 1, lease: undefined },
    { ledgerVersion: V, first: 500, last: 999, round: 1, lease: undefined },
  ]);
  await readWhole(at.engine, batches, second as Batch);
  await batches.openBatches(V);
  expect(await batches.batchesLeft(V)).toMatchObject({ batches: 2, accounts: 600 });
  expect(await batches.takeBatch(V)).toMatchObject({ first: 0, last: 499 });
  expect(await batches.takeBatch(V)).toMatchObject({ first: 1000, last: 1099 });
  expect(await batches.takeBatch(V)).toBeUndefined();
});
