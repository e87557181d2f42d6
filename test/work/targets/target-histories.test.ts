import { expect, test } from "vitest";
import { prepareBytecodes } from "../../../src/archive/content/bytecodes.ts";
import { prepareExtend } from "../../../src/archive/snapshots/extend.ts";
import { preparePins } from "../../../src/archive/snapshots/pins.ts";
import { prepareSeal } from "../../../src/archive/snapshots/seal.ts";
import { prepareVisits } from "../../../src/archive/snapshots/visits.ts";
import type { Engine } from "../../../src/engine/engine.ts";
import type { Address } from "../../../src/move/address.ts";
import { prepareTargetHistories } from "../../../src/work/targets/target-histories.ts";
import { prepareTargets } from "../../../src/work/targets/targets.ts";
import { eachArchive } from "../../engine/support/each-engine.ts";
import { addressOf, NOON, opaqueModule } from "../../support/store/temporary-store.ts";

const [coder, turner, empty, fresh, removed] = [1, 2, 3, 4, 5].map(addressOf) as [Address, Address, Address, Address, Address];

const storeOn = (engine: Engine) => ({
  ...preparePins(engine),
  ...prepareVisits(engine, prepareBytecodes(engine)),
  ...prepareSeal(engine),
  ...prepareExtend(engine),
  ...prepareTargets(engine),
  ...prepareTargetHistories(engine),
});

type Seen = { readonly code?: string; readonly key?: number };

async function night(store: ReturnType<typeof storeOn>, version: bigint, seen: ReadonlyMap<Address, Seen>): Promise<void> {
  const pin = { chainId: 4, ledgerVersion: version, headVersion: version, oldestVersion: 0n, headTimestampUsec: 0n, now: NOON };
  await store.createPin(pin, seen.keys());
  const visits = [...seen].map(([address, { code, key }]) => ({
    address,
    account: key === undefined ? null : { sequenceNumber: version, authenticationKey: new Uint8Array(32).fill(key), resource: null },
    modules: code === undefined ? [] : [opaqueModule("coin", code)],
  }));
  await store.commitVisits(version, visits);
  await store.seal(version, { now: NOON });
}

const all = async <T>(pages: AsyncIterable<readonly T[]>): Promise<T[]> => (await Array.fromAsync(pages)).flat();

eachArchive("what targets were seen to do", (open) => {
  test("first and newest snapshot, modules, and the two readings around each change of code and of key", async () => {
    await using at = await open();
    const store = storeOn(at.engine);
    const target = (address: Address) => ({ address, reason: "given", via: null, depth: 0 }) as const;
    await store.addTargets([coder, turner, empty, fresh, removed].map(target), NOON);
    await store.removeTargets([removed], NOON);
    await night(
      store,
      10n,
      new Map<Address, Seen>([
        [coder, { code: "a", key: 1 }],
        [turner, { key: 1 }],
        [empty, {}],
        [removed, { code: "a" }],
      ]),
    );
    await night(
      store,
      20n,
      new Map<Address, Seen>([
        [turner, { key: 1 }],
        [empty, {}],
      ]),
    );
    await night(
      store,
      30n,
      new Map<Address, Seen>([
        [coder, { code: "b", key: 1 }],
        [turner, { key: 2 }],
        [removed, { code: "b" }],
      ]),
    );
    await night(
      store,
      40n,
      new Map<Address, Seen>([
        [coder, { key: 1 }],
        [turner, {}],
      ]),
    );
    await night(store, 50n, new Map<Address, Seen>([[turner, { key: 3 }]]));

    const histories = await all(store.targetHistories());
    const names = new Map(
      (await store.addressesOf(histories.map(({ account }) => account))).map((address, i) => [histories[i]?.account, address]),
    );
    expect(Object.fromEntries(histories.map(({ account, ...rest }) => [names.get(account), rest]))).toEqual({
      [coder]: {
        covered: { first: 10n, newest: 40n },
        recordNewest: 40n,
        modules: 0,
        hadModules: true,
        codeChanges: [
          { after: 10n, atOrBefore: 30n },
          { after: 30n, atOrBefore: 40n },
        ],
        keyRotations: [],
      },
      [turner]: {
        covered: { first: 10n, newest: 50n },
        recordNewest: 50n,
        modules: 0,
        hadModules: false,
        codeChanges: [],
        // At 40 there was no record: neither that nor its return is a rotation, but the key is another than before.
        keyRotations: [
          { after: 20n, atOrBefore: 30n },
          { after: 30n, atOrBefore: 50n },
        ],
      },
      [empty]: {
        covered: { first: 10n, newest: 20n },
        recordNewest: 20n,
        modules: 0,
        hadModules: false,
        codeChanges: [],
        keyRotations: [],
      },
      [fresh]: { covered: undefined, recordNewest: undefined, modules: 0, hadModules: false, codeChanges: [], keyRotations: [] },
    });
    expect(await store.newestReadings().then((readings) => new Map(readings.map(({ newest, targets }) => [newest, targets])))).toEqual(
      new Map([
        [20n, 1],
        [40n, 1],
        [50n, 1],
        [undefined, 1],
      ]),
    );
    const everySecond = (await all(store.targetHistories({ everyNth: 2 }))).map(({ account }) => Number(account));
    expect(everySecond).toEqual(histories.map(({ account }) => Number(account)).filter((account) => account % 2 === 0));
  });

  test("of a plan that was chosen the rest is passed over, of any other nothing; and of none without an answer", async () => {
    await using at = await open();
    const store = storeOn(at.engine);
    const pin = (version: bigint, passedOver?: number) => ({
      chainId: 4,
      ledgerVersion: version,
      headVersion: version,
      oldestVersion: 0n,
      headTimestampUsec: 0n,
      now: NOON,
      ...(passedOver === undefined ? {} : { passedOver }),
    });
    const visit = { address: coder, account: null, modules: [] };
    await store.createPin(pin(10n), [coder, turner]);
    await store.commitVisit(10n, visit);
    expect(await store.passOverRest(10n)).toBe(0);
    expect(await store.progress(10n)).toEqual({ planned: 1, visited: 1, missed: 0 });

    await store.createPin(pin(20n, 7), [coder, turner, empty]);
    expect(await store.passOverRest(20n)).toBe(0);
    await store.commitVisit(20n, visit);
    expect(await store.passOverRest(20n)).toBe(2);
    expect(await store.findPin(20n)).toMatchObject({ planned: 1, passedOver: 9 });
    expect(await store.seal(20n, { now: NOON })).toMatchObject({ status: "sealed", accounts: 1, gaps: 0 });
  });
});
