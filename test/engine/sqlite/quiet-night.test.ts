import { statSync } from "node:fs";
import { expect, test } from "vitest";
import { derivationQueries } from "../../../src/core/db/archive/content/derive.ts";
import { sealQueries } from "../../../src/core/db/archive/snapshots/seal.ts";
import { snapshotQueries } from "../../../src/core/db/archive/snapshots/snapshot-queries.ts";
import type { Visit } from "../../../src/core/db/archive/snapshots/visits.ts";
import { visitQueries } from "../../../src/core/db/archive/snapshots/visits.ts";
import type { Engine } from "../../../src/core/db/engine/engine.ts";
import { openStore } from "../../../src/core/work/store.ts";
import { crawlMuch, muchBytecode } from "../../support/store/much-bytecode.ts";
import { NOON, pinAt, recordOf, temporaryStore } from "../../support/store/temporary-store.ts";

const ACCOUNTS = 400;
const accounts = muchBytecode(ACCOUNTS);

/** A night that finds the same accounts as they were. */
async function quietNight(path: string, version: bigint, visits: readonly Visit[]): Promise<void> {
  await using store = await openStore(path, { mode: "write", now: () => NOON });
  await takeNight(store.engine, version, visits);
}

async function takeNight(engine: Engine, version: bigint, visits: readonly Visit[]): Promise<void> {
  await snapshotQueries(engine).createSnapshot(
    pinAt(version),
    visits.map(({ address }) => address),
  );
  await visitQueries(engine).commitVisits(version, visits);
  await sealQueries(engine).seal(version, { now: NOON });
}

/** Visits of accounts that hold nothing but a record. */
const empty: readonly Visit[] = accounts.map(({ address }) => ({ address, account: recordOf(1n), modules: [] }));

test("a night that changes nothing adds no byte, from the second one after rows were derived", async () => {
  await using at = await temporaryStore();
  await crawlMuch(at.engine, ACCOUNTS, 1);
  await takeNight(at.engine, 6_000_000_000n, empty);
  await derivationQueries(at.engine).derive();
  await at.close();
  await quietNight(at.path, 6_000_000_100n, empty);
  const { size } = statSync(at.path);
  for (const version of [6_000_000_200n, 6_000_000_300n]) {
    await quietNight(at.path, version, empty);
    expect(statSync(at.path).size).toBe(size);
  }
});
