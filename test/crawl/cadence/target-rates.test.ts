import { expect, test } from "vitest";
import { DAY_MS, parkedTargets, rateTargets } from "../../../src/crawl/cadence/target-rates.ts";
import { parseAddress } from "../../../src/move/address.ts";
import type { ChangedBetween, TargetHistory } from "../../../src/store/work/target-histories.ts";

/** Version n is made on day n. */
const timeOf = (version: bigint): number => Number(version) * DAY_MS;
const target = (account: number, days: readonly [number, number] | undefined, more: Partial<TargetHistory> = {}): TargetHistory => ({
  account,
  covered: days && { first: BigInt(days[0]), newest: BigInt(days[1]) },
  recordNewest: days && BigInt(days[1]),
  modules: 1,
  hadModules: true,
  ...more,
});
const pages = async function* <T>(rows: readonly T[]): AsyncGenerator<readonly T[]> {
  yield rows;
};
const storeOf = (targets: readonly TargetHistory[], code: readonly ChangedBetween[] = [], keys: readonly ChangedBetween[] = []) => ({
  targetHistories: () => pages(targets),
  targetCodeChanges: () => pages(code),
  targetKeyRotations: () => pages(keys),
  addressesOf: async (accounts: readonly (number | bigint)[]) => accounts.map((account) => parseAddress(`0x${account}`) as never),
});
const change = (account: number, after: number, by: number): ChangedBetween => ({ account, after: BigInt(after), atOrBefore: BigInt(by) });

test("what changed more often has the higher rate, by code and by key alike", async () => {
  const targets = [target(1, [0, 20]), target(2, [0, 20]), target(3, [0, 20]), target(4, undefined)];
  const store = storeOf(targets, [change(1, 3, 4), change(1, 8, 9), change(1, 12, 13), change(2, 8, 9)], [change(3, 5, 6)]);
  const rated = await rateTargets(store, timeOf, timeOf(25n));
  const [often, once, turned, fresh] = rated.map(({ rate }) => rate) as [number, number, number, number];
  expect(often).toBeGreaterThan(once);
  expect(turned).toBeGreaterThan(0);
  expect(fresh).toBeGreaterThan(0);
  expect(rated.map(({ age }) => age)).toEqual([5, 5, 5, undefined]);
});

test("an account that held nothing whenever it was read for a week is parked; one that holds pages of modules costs more", async () => {
  const targets = [
    target(1, [0, 8], { modules: 0, hadModules: false }),
    target(2, [0, 6], { modules: 0, hadModules: false }),
    target(3, [0, 8], { modules: 0, hadModules: true }),
    target(4, [0, 8], { modules: 25 }),
  ];
  const rated = await rateTargets(storeOf(targets), timeOf, timeOf(12n), { pageSize: 10 });
  expect(rated.map(({ isParked, age, requests }) => [isParked, age, requests])).toEqual([
    [true, 4, 2],
    [false, 6, 2],
    [false, 4, 2],
    [false, 4, 4],
  ]);
  expect([...(await parkedTargets(storeOf(targets), timeOf))]).toEqual(["0x1"]);
});
