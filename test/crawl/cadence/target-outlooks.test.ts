import { expect, test } from "vitest";
import type { ChangeBounds } from "../../../src/archive/times/ledger-times.ts";
import { isParked } from "../../../src/crawl/cadence/parked-targets.ts";
import { DAY_MS } from "../../../src/crawl/cadence/target-beliefs.ts";
import { learnOutlooks, type RatedTarget, type RatingOptions, type TargetOutlooks } from "../../../src/crawl/cadence/target-outlooks.ts";
import { parseAddress } from "../../../src/move/address.ts";
import type { TargetHistory } from "../../../src/work/targets/target-histories.ts";

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
const change = (after: number, by: number): ChangeBounds => ({ after: BigInt(after), atOrBefore: BigInt(by) });

/** A snapshot each night so far. */
const nights = (day: bigint): bigint[] => Array.from({ length: Number(day) }, (_, night) => BigInt(night));

const budget = { requests: 4, maxAge: 30, nightly: 1 };

async function outlooks(targets: readonly TargetHistory[], day: bigint, more: Partial<RatingOptions> = {}): Promise<TargetOutlooks> {
  const options = { timeOf, nowMs: timeOf(day), halfLifeMs: 2 * DAY_MS, sealed: nights(day), ...more };
  return learnOutlooks(storeOf(targets), { count: targets.length }, options, budget);
}

async function rated(targets: readonly TargetHistory[], day: bigint, more: Partial<RatingOptions> = {}): Promise<RatedTarget[]> {
  const learnt = await outlooks(targets, day, more);
  return targets.map((each) => learnt.rate(each));
}
const quietOnes = Array.from({ length: 40 }, (_, n) => target(100 + n, [0, 40]));

test("what changed more often has the higher rate, by code and by key alike", async () => {
  const [often, once, turned, quiet, fresh] = await rated(
    [
      target(1, [0, 20], { codeChanges: [change(3, 4), change(8, 9), change(12, 13)] }),
      target(2, [0, 20], { codeChanges: [change(16, 17)] }),
      target(3, [0, 20], { keyRotations: [change(16, 17)] }),
      target(4, [0, 20]),
      target(5, undefined),
      ...quietOnes,
    ],
    25n,
  );
  expect(often?.rate).toBeGreaterThan(once?.rate as number);
  expect(once?.rate).toBeGreaterThan(quiet?.rate as number);
  expect(turned?.rate).toBeGreaterThan(quiet?.rate as number);
  expect(fresh?.rate).toBeGreaterThan(quiet?.rate as number);
  expect([often, once, turned, quiet, fresh].map((each) => each?.age)).toEqual([5, 5, 5, 5, undefined]);
});

test("who was busy long ago and fell silent is not busy, and who woke a few days ago is", async () => {
  const days = (from: number) => Array.from({ length: 10 }, (_, n) => change(from + n, from + n + 1));
  const [asleep, awake] = await rated(
    [target(1, [0, 40], { codeChanges: days(0) }), target(2, [0, 40], { codeChanges: days(30) }), ...quietOnes],
    42n,
  );
  expect(awake?.rate).toBeGreaterThan(0.4);
  expect(asleep?.rate).toBeLessThan(0.05);
  expect(awake?.worth).toBeGreaterThan(10 * (asleep?.worth as number));
});

test("who changes on one weekday is worth a reading on that evening and on no other", async () => {
  const weekly = target(1, [0, 35], { codeChanges: [5, 12, 19, 26, 33].map((day) => change(day - 1, day)) });
  const others = Array.from({ length: 6 }, (_, n) =>
    target(2 + n, [0, 35], { codeChanges: [5, 12, 19, 26, 33].map((day) => change(day + n, day + n + 1)) }),
  );
  const worthOn = async (day: bigint): Promise<number> => (await rated([weekly, ...others, ...quietOnes], day))[0]?.worth as number;
  expect(await worthOn(40n)).toBeGreaterThan(3 * (await worthOn(39n)));
});

test("what came onto the list later and was busy at first makes others that come later worth a look", async () => {
  const newcomer = (account: number, day: number) =>
    target(account, [day, day + 15], { codeChanges: Array.from({ length: 12 }, (_, n) => change(day + n, day + n + 1)) });
  const known = [...quietOnes, ...Array.from({ length: 10 }, (_, n) => newcomer(n, 10 + n))];
  const late = target(99, [39, 40]);
  const [ofNewcomers] = await rated([late, ...known], 41n);
  const [alone] = await rated([late, ...quietOnes], 41n);
  expect(ofNewcomers?.rate).toBeGreaterThan(5 * (alone?.rate as number));
});

test("keys count where the record is read, and the record costs a request", async () => {
  const turned = target(3, [0, 20], { keyRotations: [change(16, 17)] });
  const [read] = await rated([turned, ...quietOnes], 25n);
  const [unread] = await rated([turned, ...quietOnes], 25n, { records: "none" });
  expect([read?.requests, unread?.requests]).toEqual([2, 1]);
  expect(read?.rate).toBeGreaterThan(unread?.rate as number);
});

test("is the same however often it is asked, and finite whatever the clocks say", async () => {
  const odd = [
    target(1, [9, 3], { codeChanges: [change(8, 4), change(4, 4), change(2, 900)] }),
    target(2, [0, 90_000], { codeChanges: [change(0, 90_000)] }),
    target(3, [50, 60]),
  ];
  const first = await rated(odd, 20n);
  for (const { worth, rate, age } of first)
    expect([worth, rate, age].every((value) => Number.isFinite(value) && (value as number) >= 0)).toBe(true);
  expect(await rated(odd, 20n)).toEqual(first);
});

test("a night in which all changed is told apart by nobody, and leaves nobody out", async () => {
  const all = Array.from({ length: 30 }, (_, n) => target(n, [0, 20], { codeChanges: [change(19, 20)] }));
  const ratings = await rated(all, 21n);
  expect(new Set(ratings.map(({ worth }) => worth)).size).toBe(1);
  expect(ratings[0]?.worth).toBeGreaterThan(0);
});

test("what changed many at once makes those who follow worth a look that were not read since", async () => {
  const follower = (account: number, nights: readonly number[], newest: number) =>
    target(account, [0, newest], { codeChanges: nights.map((night) => change(night - 1, night)) });
  const others = quietOnes.map((one) => ({ ...one, covered: { first: 0n, newest: 31n } }));
  const worthAmong = async (nightsOf: (n: number) => readonly number[]): Promise<readonly (number | undefined)[]> => {
    const followers = Array.from({ length: 10 }, (_, n) => follower(n, nightsOf(n), 31));
    const all = [follower(90, [10, 20], 29), target(91, [0, 29]), ...followers, ...others];
    return (await rated(all, 32n)).map(({ worth }) => worth);
  };
  const [waiting, other] = await worthAmong(() => [10, 20, 30]);
  const [apart] = await worthAmong((n) => [10 - n, 20 - n, 30 - n]);
  // A change of two and a half days ago is worth 2^(−2.5 / 2), which is 0.42, where it is sure.
  expect(waiting).toBeGreaterThan(0.21);
  expect(waiting).toBeGreaterThan(10 * (other as number));
  expect(waiting).toBeGreaterThan(3 * (apart as number));
});

test("says what nights of the budget come to", async () => {
  const busy = target(1, [0, 40], { codeChanges: Array.from({ length: 40 }, (_, n) => change(n, n + 1)) });
  const { night } = await outlooks([busy, ...quietOnes], 41n);
  expect(night).toMatchObject({ isAgeKept: true, requestsForAge: 3, ageMs: 30 * DAY_MS });
  expect(night.usefulness).toBeGreaterThan(2 * (night.ofRoundRobin as number));
  const options = { timeOf, nowMs: timeOf(41n), halfLifeMs: DAY_MS, sealed: nights(41n) };
  const none = await learnOutlooks(storeOf([busy, ...quietOnes]), { count: 41 }, options, { ...budget, requests: 0 });
  expect(none.night).toMatchObject({ isAgeKept: false, ageMs: Number.POSITIVE_INFINITY, usefulness: 0, ofRoundRobin: 0 });
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
  expect(targets.map((one) => isParked(one, timeOf))).toEqual([true, false, false, false]);
});
