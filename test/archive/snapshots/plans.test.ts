import { beforeEach, expect, test } from "vitest";
import { type Claim, claimQueries } from "../../../src/core/db/archive/snapshots/claims.ts";
import { gapQueries } from "../../../src/core/db/archive/snapshots/gaps.ts";
import type { PlanRecords } from "../../../src/core/db/archive/snapshots/plan.ts";
import { planQueries } from "../../../src/core/db/archive/snapshots/plan-queries.ts";
import { sealQueries } from "../../../src/core/db/archive/snapshots/seal.ts";
import { snapshotQueries } from "../../../src/core/db/archive/snapshots/snapshot-queries.ts";
import { visitQueries } from "../../../src/core/db/archive/snapshots/visits.ts";
import type { Engine } from "../../../src/core/db/engine/engine.ts";
import { sql } from "../../../src/core/db/schema/sql/sql.ts";
import type { Address } from "../../../src/core/move/address.ts";
import { eachArchive } from "../../engine/support/each-engine.ts";
import { addressOf, NOON, noAnswer, opaqueModule, pinAt, recordOf } from "../../support/store/temporary-store.ts";

const [one, two, three] = [addressOf(1), addressOf(2), addressOf(3)];

/** Takes a snapshot as it was planned; returns the accounts whose record it read. */
async function take(engine: Engine, version: bigint, records: PlanRecords, accounts = [one, two]): Promise<string[]> {
  const wanted = await planQueries(engine).countPlan(version, accounts, records);
  expect(wanted.accounts).toBe(accounts.length);
  await snapshotQueries(engine).createSnapshot({ ...pinAt(version), records }, accounts);
  const planned = await claimQueries(engine, { now: () => NOON }).claimAccounts(version, { after: -1, limit: 10, again: false });
  await visitQueries(engine).commitVisits(
    version,
    planned.map(({ address, readsRecord }) => ({
      address,
      account: readsRecord ? recordOf(version) : undefined,
      modules: [opaqueModule("coin", "x")],
    })),
  );
  await sealQueries(engine).seal(version, { now: NOON });
  const read = planned.filter(({ readsRecord }) => readsRecord).map(({ address }) => address);
  expect(read).toHaveLength(wanted.records);
  return read;
}

eachArchive("which records a plan reads", (open) => {
  test("all, none, or those that no snapshot since a version has", async () => {
    await using at = await open();
    const { engine } = at;
    expect(await take(engine, 10n, "all")).toEqual([one, two]);
    expect(await take(engine, 20n, "none")).toEqual([]);
    expect(await take(engine, 30n, { unreadSince: 10n })).toEqual([]);
    expect(await take(engine, 40n, { unreadSince: 11n }, [one])).toEqual([one]);
    expect(await take(engine, 50n, { unreadSince: 40n }, [one, two, three])).toEqual([three, two]);
    // What later snapshots read is no reading at an older version.
    expect(await take(engine, 5n, { unreadSince: 0n })).toEqual([one, two]);
    expect(await take(engine, 60n, { unreadSince: 55n })).toEqual([one, two]);
  });
});

eachArchive("the order of a plan", (open) => {
  test("is that of turns: first what was asked longest ago, whether it answered or not, and of the same time by address", async () => {
    await using at = await open();
    const { engine } = at;
    const [a, b, c, d, e] = [0x20, 3, 0x100, 0x300, 0x200].map(addressOf) as [Address, Address, Address, Address, Address];
    const order = async (version: bigint): Promise<Address[]> => {
      await snapshotQueries(engine).createSnapshot(pinAt(version), [a, b, c, d, e]);
      const planned = await claimQueries(engine, { now: () => NOON }).claimAccounts(version, { after: -1, limit: 10, again: false });
      return planned.map(({ address }) => address);
    };
    const answer = async (version: bigint, ...read: readonly Address[]): Promise<void> => {
      await visitQueries(engine).commitVisits(
        version,
        read.map((address) => ({ address, account: null, modules: [] })),
      );
    };
    const seal = async (version: bigint): Promise<void> => {
      await gapQueries(engine).commitRest(version, { ...noAnswer, attempts: 0 }, NOON);
      await sealQueries(engine).seal(version, { now: NOON });
    };
    expect(await order(10n)).toEqual([b, a, c, e, d]);
    await answer(10n, b, a);
    await seal(10n);
    expect(await order(20n)).toEqual([c, e, d, b, a]);
    await answer(20n, c);
    await gapQueries(engine).commitGap(20n, { address: d, ...noAnswer }, NOON);
    await seal(20n);
    expect(await order(30n)).toEqual([e, b, a, c, d]);
    await answer(30n, e, b, a, d, c);
    await seal(30n);
    // At an older version by what was read before it.
    expect(await order(15n)).toEqual([c, e, b, a, d]);
  });
});

const V = 100n;
const addresses = Array.from({ length: 10 }, (_, i) => addressOf(0x100 + i));
const first = { after: -1, limit: 4, again: false };
const again = { after: -1, limit: 1, again: true };

eachArchive("claims of a plan", (open, dialect) => {
  let engine: Engine;
  beforeEach(async () => {
    const opened = await open();
    ({ engine } = opened);
    await snapshotQueries(engine).createSnapshot(pinAt(V), addresses);
    return () => opened[Symbol.asyncDispose]();
  });
  const claims = () => claimQueries(engine, { now: () => 1_000 });
  const placesOf = (taken: readonly Claim[]) => taken.map(({ position }) => position);
  /** As when a minute has passed without a word. */
  const letRunOut = () => engine.run(sql`UPDATE _visits SET claimed_until = :past::time WHERE claimed_until IS NOT NULL`, { past: 0 });

  test("are each one process's, in the order of the plan", async () => {
    const [one, two] = await Promise.all([claims().claimAccounts(V, first), claims().claimAccounts(V, first)]);
    expect([...placesOf(one), ...placesOf(two)].sort((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    expect(one[0]).toMatchObject({ address: addresses[one[0]?.position as number], readsRecord: true, claims: 1 });
    expect(placesOf(await claims().claimAccounts(V, first))).toEqual([8, 9]);
    expect(await claims().claimAccounts(V, again)).toEqual([]);
    // Of a file the one writer asks: those of others there are nobody's.
    const others = dialect === "sqlite" ? 0 : 10;
    expect(await claims().accountsLeft(V)).toMatchObject({ accounts: 10, claimed: others, reserved: others });
  });

  test("are free again when nothing is said of them, one at a time, and count", async () => {
    await claims().claimAccounts(V, first);
    await letRunOut();
    expect(placesOf(await claims().claimAccounts(V, first))).toEqual([4, 5, 6, 7]);
    expect(await claims().claimAccounts(V, again)).toMatchObject([{ position: 0, claims: 2 }]);
    expect(await claims().claimAccounts(V, again)).toMatchObject([{ position: 1, claims: 2 }]);
    await letRunOut();
    expect(await claims().claimAccounts(V, again)).toMatchObject([{ position: 0, claims: 3 }]);
  });

  test("stay a process's while it says so, and wait for as long as it says", async () => {
    const { extendClaims, claimAccounts } = claims();
    const [kept, left] = (await claimAccounts(V, { ...first, limit: 2 })) as [Claim, Claim];
    await letRunOut();
    await extendClaims(V, [kept.account]);
    expect(placesOf(await claimAccounts(V, again))).toEqual([left.position]);
    await extendClaims(V, [kept.account], -1);
    expect(await claimAccounts(V, again)).toMatchObject([{ position: kept.position, claims: 2 }]);
  });

  test("that are given back were none", async () => {
    const taken = await claims().claimAccounts(V, first);
    await claims().releaseClaims(
      V,
      taken.map(({ account }) => account),
    );
    expect(await claims().accountsLeft(V)).toMatchObject({ accounts: 10, claimed: 0, reserved: 0 });
    expect(await claims().claimAccounts(V, first)).toMatchObject([0, 1, 2, 3].map((position) => ({ position, claims: 1 })));
  });

  test("of a process that died are forgotten in a file alone", async () => {
    await claims().claimAccounts(V, first);
    await claims().forgetClaims(V);
    expect(placesOf(await claims().claimAccounts(V, first))).toEqual(dialect === "sqlite" ? [0, 1, 2, 3] : [4, 5, 6, 7]);
  });
});
