import { expect, test } from "vitest";
import { claimQueries } from "../../../src/core/db/archive/snapshots/claims.ts";
import type { PlanRecords } from "../../../src/core/db/archive/snapshots/plan.ts";
import { planQueries } from "../../../src/core/db/archive/snapshots/plan-queries.ts";
import { sealQueries } from "../../../src/core/db/archive/snapshots/seal.ts";
import { snapshotQueries } from "../../../src/core/db/archive/snapshots/snapshot-queries.ts";
import { visitQueries } from "../../../src/core/db/archive/snapshots/visits.ts";
import type { Engine } from "../../../src/core/db/engine/engine.ts";
import { eachArchive } from "../../engine/support/each-engine.ts";
import { addressOf, NOON, opaqueModule, pinAt, recordOf } from "../../support/store/temporary-store.ts";

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
    expect(await take(engine, 50n, { unreadSince: 40n }, [one, two, three])).toEqual([two, three]);
    // What later snapshots read is no reading at an older version.
    expect(await take(engine, 5n, { unreadSince: 0n })).toEqual([one, two]);
    expect(await take(engine, 60n, { unreadSince: 55n })).toEqual([one, two]);
  });
});
