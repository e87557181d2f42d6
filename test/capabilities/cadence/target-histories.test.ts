import { expect, test } from "vitest";
import { addressesOf, changesIn, targetHistories } from "../../../src/capabilities/cadence/chosen-targets.ts";
import { targetList } from "../../../src/capabilities/targets/target-list.ts";
import { targetQueries } from "../../../src/core/crawl/targets/targets.ts";
import { bytecodeQueries } from "../../../src/core/db/archive/content/bytecodes.ts";
import { gapQueries } from "../../../src/core/db/archive/snapshots/gaps.ts";
import { planQueries } from "../../../src/core/db/archive/snapshots/plan-queries.ts";
import { sealQueries } from "../../../src/core/db/archive/snapshots/seal.ts";
import { snapshotQueries } from "../../../src/core/db/archive/snapshots/snapshot-queries.ts";
import { visitQueries } from "../../../src/core/db/archive/snapshots/visits.ts";
import type { Engine } from "../../../src/core/db/engine/engine.ts";
import type { Address } from "../../../src/core/move/address.ts";
import { eachArchive } from "../../engine/support/each-engine.ts";
import { addressOf, NOON, opaqueModule, pinAt } from "../../support/store/temporary-store.ts";

const [coder, turner, empty, fresh, removed] = [1, 2, 3, 4, 5].map(addressOf) as [Address, Address, Address, Address, Address];

const storeOn = (engine: Engine) => ({
  ...snapshotQueries(engine),
  ...visitQueries(engine, bytecodeQueries(engine)),
  ...sealQueries(engine),
  ...planQueries(engine),
  ...targetQueries(engine),
  ...targetList(engine),
});

type Seen = { readonly code?: string; readonly key?: number };

async function night(store: ReturnType<typeof storeOn>, version: bigint, ...seen: (readonly [Address, Seen])[]): Promise<void> {
  await store.createSnapshot(
    pinAt(version),
    seen.map(([address]) => address),
  );
  const visits = seen.map(([address, { code, key }]) => ({
    address,
    account: key === undefined ? null : { sequenceNumber: version, authenticationKey: new Uint8Array(32).fill(key), resource: null },
    modules: code === undefined ? [] : [opaqueModule("coin", code)],
  }));
  await store.commitVisits(version, visits);
  await store.seal(version, { now: NOON });
}

eachArchive("what targets were seen to do", (open) => {
  test("first and newest snapshot, modules, and the two readings around each change of code and of key", async () => {
    await using at = await open();
    const store = storeOn(at.engine);
    const target = (address: Address) => ({ address, reason: "given", via: null, depth: 0 }) as const;
    await store.addTargets([coder, turner, empty, fresh, removed].map(target), NOON);
    await store.removeTargets([removed], NOON);
    await night(store, 10n, [coder, { code: "a", key: 1 }], [turner, { key: 1 }], [empty, {}], [removed, { code: "a" }]);
    await night(store, 20n, [turner, { key: 1 }], [empty, {}]);
    await night(store, 30n, [coder, { code: "b", key: 1 }], [turner, { key: 2 }], [removed, { code: "b" }]);
    await night(store, 40n, [coder, { key: 1 }], [turner, {}]);
    await night(store, 50n, [turner, { key: 3 }]);
    await store.createSnapshot(pinAt(60n), [empty, fresh]);
    const gap = { reason: "timeout", errorCode: null, httpStatus: null, message: "no answer", isFinal: false };
    await gapQueries(at.engine).commitGap(60n, { ...gap, address: empty, attempts: 1 }, NOON);
    // It was not asked for.
    await gapQueries(at.engine).commitRest(60n, { ...gap, attempts: 0 }, NOON);

    const histories = await Array.fromAsync(targetHistories(at.engine));
    const found = await addressesOf(
      at.engine,
      histories.map(({ account }) => account),
    );
    const none = { failed: null, modules: null, codeChanges: null, keyRotations: null };
    const known = (first: bigint, newest: bigint) => ({ ...none, first, newest, recordNewest: newest });
    expect(Object.fromEntries(histories.map(({ account: _, ...rest }, i) => [found[i], rest]))).toEqual({
      [coder]: { ...known(10n, 40n), codeChanges: "10 30,30 40" },
      // At 40 there was no record: neither that nor its return is a rotation, but the key is another than before.
      [turner]: { ...known(10n, 50n), keyRotations: "20 30,30 50" },
      [empty]: { ...known(10n, 20n), failed: 60n },
      [fresh]: { ...none, first: null, newest: null, recordNewest: undefined },
    });
    expect(changesIn("10 30,30 40")).toEqual([
      { after: 10n, atOrBefore: 30n },
      { after: 30n, atOrBefore: 40n },
    ]);
    const readings = (await store.newestReadings()).map(({ newest, targets }) => `${newest}: ${targets}`);
    expect(new Set(readings)).toEqual(new Set(["20: 1", "40: 1", "50: 1", "undefined: 1"]));
  });

  test("of a plan that was chosen the rest is passed over, of any other nothing; and of none without an answer", async () => {
    await using at = await open();
    const store = storeOn(at.engine);
    const visit = { address: coder, account: null, modules: [] };
    await store.createSnapshot(pinAt(10n), [coder, turner]);
    await store.commitVisits(10n, [visit]);
    expect(await store.passOverRest(10n, NOON)).toBe(0);
    expect(await store.progress(10n)).toEqual({ planned: 1, visited: 1, missed: 0 });

    await store.createSnapshot({ ...pinAt(20n), passedOver: 7 }, [coder, turner, empty]);
    expect(await store.passOverRest(20n, NOON)).toBe(0);
    await store.commitVisits(20n, [visit]);
    expect(await store.passOverRest(20n, NOON)).toBe(2);
    expect(await store.findSnapshot(20n)).toMatchObject({ planned: 1, passedOver: 9 });
    expect(await store.seal(20n, { now: NOON })).toMatchObject({ status: "sealed", accounts: 1, gaps: 0 });
  });
});
