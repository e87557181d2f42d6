import { expect, test } from "vitest";
import { DAY_MS, parkedTargets, type RatedTarget, type RatingOptions, TargetRates } from "../../../src/crawl/cadence/target-rates.ts";
import { parseAddress } from "../../../src/move/address.ts";
import type { ChangedBetween, TargetHistory } from "../../../src/work/targets/target-histories.ts";

/** Version n is made on day n. */
const timeOf = (version: bigint): number => Number(version) * DAY_MS;
const target = (account: number, days: readonly [number, number] | undefined, more: Partial<TargetHistory> = {}): TargetHistory => ({
  account,
  covered: days && { first: BigInt(days[0]), newest: BigInt(days[1]) },
  recordNewest: days && BigInt(days[1]),
  modules: 1,
  hadModules: true,
  codeChanges: [],
  keyRotations: [],
  ...more,
});
const storeOf = (targets: readonly TargetHistory[]) => ({
  targetHistories: async function* () {
    yield targets;
  },
  countTargets: async () => targets.length,
  addressesOf: async (accounts: readonly (number | bigint)[]) => accounts.map((account) => parseAddress(`0x${account}`) as never),
});
const change = (after: number, by: number): ChangedBetween => ({ after: BigInt(after), atOrBefore: BigInt(by) });

async function rated(targets: readonly TargetHistory[], day: bigint, more: Partial<RatingOptions> = {}): Promise<RatedTarget[]> {
  const rates = await TargetRates.learn(storeOf(targets), { timeOf, nowMs: timeOf(day), ...more }, () => 4);
  return targets.map((each) => rates.rate(each));
}

test("what changed more often has the higher rate, by code and by key alike", async () => {
  const [often, once, turned, quiet, fresh] = await rated(
    [
      target(1, [0, 20], { codeChanges: [change(3, 4), change(8, 9), change(12, 13)] }),
      target(2, [0, 20], { codeChanges: [change(8, 9)] }),
      target(3, [0, 20], { keyRotations: [change(5, 6)] }),
      target(4, [0, 20]),
      target(5, undefined),
    ],
    25n,
  );
  expect(often?.expected).toBeGreaterThan(once?.expected as number);
  expect(once?.expected).toBeGreaterThan(quiet?.expected as number);
  expect(turned?.expected).toBeGreaterThan(quiet?.expected as number);
  expect(fresh?.expected).toBeGreaterThan(quiet?.expected as number);
  for (const { rate, expected } of [often, once, turned, quiet, fresh] as RatedTarget[]) expect(rate).toBeGreaterThanOrEqual(expected);
  expect([often, once, turned, quiet, fresh].map((each) => each?.age)).toEqual([5, 5, 5, 5, undefined]);
});

test("keys count where the record is read, and the record costs a request", async () => {
  const turned = target(3, [0, 20], { keyRotations: [change(5, 6)] });
  const [read] = await rated([turned], 25n);
  const [unread] = await rated([turned], 25n, { records: "none" });
  expect([read?.requests, unread?.requests]).toEqual([2, 1]);
  expect(read?.expected).toBeGreaterThan(unread?.expected as number);
});

test("an account that held nothing whenever it was read for a week is parked; one that holds pages of modules costs more", async () => {
  const targets = [
    target(1, [0, 8], { modules: 0, hadModules: false }),
    target(2, [0, 6], { modules: 0, hadModules: false }),
    target(3, [0, 8], { modules: 0, hadModules: true }),
    target(4, [0, 8], { modules: 25 }),
  ];
  expect((await rated(targets, 12n, { pageSize: 10 })).map(({ isParked, age, requests }) => [isParked, age, requests])).toEqual([
    [true, 4, 2],
    [false, 6, 2],
    [false, 4, 2],
    [false, 4, 4],
  ]);
  const parked = await parkedTargets(storeOf(targets), timeOf);
  expect(targets.map(({ account }) => parked.has(Number(account)))).toEqual([true, false, false, false]);
});
