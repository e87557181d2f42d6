import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { choose, type History } from "../../../src/capabilities/cadence/choose.ts";
import type { Budget } from "../../../src/capabilities/cadence/outlook.ts";
import { sized } from "../../run-size.ts";
import { holdsFor, law } from "../../support/property/law.ts";

const NOW = 60;

const night = (requests: number, more: Partial<Budget> = {}): Budget => ({
  requests,
  now: NOW,
  maxAge: 30,
  nightly: 1,
  halfLife: 2,
  ...more,
});

/** Accounts that were read from the first night on until so many days ago, and changed in the nights before some days. */
function known(
  accounts: readonly string[],
  age: number,
  days: readonly number[] = [],
  more: Partial<History<string>> = {},
): History<string> {
  const changes = days.filter((day) => day <= NOW - age).map((day) => [day - 1, day] as const);
  const readings = { first: 0, newest: NOW - age, changes, isNewcomer: false };
  return { accounts, readings, requests: 1, isRead: false, ...more };
}
const unread = (accounts: readonly string[]): History<string> => ({ ...known(accounts, 0), readings: undefined });
const names = (name: string, count: number): string[] => Array.from({ length: count }, (_, n) => `${name}${n}`);
const everyday = Array.from({ length: NOW }, (_, n) => n + 1);
/** Most accounts never changed. */
const silent = known(names("silent", 40), 3);

/** Those of the accounts that a night reads which can read so many. */
const chosen = (requests: number, ...histories: History<string>[]) => choose([silent, ...histories], night(requests)).accounts;

describe("a night's choice", () => {
  test("reads who is due, who was never read, then who is worth most per request", () => {
    const overdue = known(["overdue"], 30);
    const busy = known(["busy"], 2, everyday);
    const dear = known(["dear"], 2, everyday, { requests: 5 });
    expect(chosen(4, dear, busy, overdue, unread(["new"])).slice(0, 3)).toEqual(["new", "overdue", "busy"]);
    expect(chosen(12, dear, busy, overdue, unread(["new"]))).toContain("dear");
  });

  test("leaves half of the rest to others than those never read, as long as there are others", () => {
    const accounts = choose([unread(names("new", 100)), known(names("old", 20), 2)], night(12)).accounts;
    expect(accounts.filter((name) => name.startsWith("old"))).toHaveLength(6);
    expect(choose([unread(names("new", 100))], night(12)).accounts).toHaveLength(12);
  });

  test("reads again who is busy, not who fell silent long ago; by key and code alike, in the order of time", () => {
    const asleep = known(["asleep"], 2, everyday.slice(0, 20));
    const awake = known(["awake"], 2, everyday.slice(-12));
    expect(chosen(2, asleep, awake)).toEqual(["silent0", "awake"]);
  });

  test("gives accounts that did not answer their turn and no more, however old their readings are", () => {
    const failing = known(names("failing", 20), 29, [], { failed: NOW - 1 });
    expect(chosen(10, failing)).not.toContainEqual(expect.stringContaining("failing"));
    const never = (name: string, failed?: number): History<string> => ({ ...unread([name]), failed });
    expect(choose([never("yesterday", NOW - 1), never("last week", NOW - 7), never("new")], night(2)).accounts).toEqual([
      "new",
      "last week",
    ]);
  });

  test("gives the oldest their share and no more while the greatest age cannot be kept", () => {
    const old = Array.from({ length: 20 }, (_, n) => {
      const one = known(names(`old${n}-`, 5), 31 + n);
      return { ...one, readings: { first: -300, newest: NOW - 31 - n, changes: [], isNewcomer: false } };
    });
    const accounts = choose([known(names("busy", 100), 2, everyday), ...old], night(10, { maxAge: 5 })).accounts;
    expect(accounts).toHaveLength(10);
    expect(accounts.filter((name) => name.startsWith("old"))).toEqual(["old19-0", "old19-1", "old19-2"]);
  });

  test("never more than the budget, nobody twice or again tonight, and everybody when there is enough", async () => {
    const history = fc.record({
      count: fc.integer({ min: 1, max: 5 }),
      age: fc.option(fc.integer({ min: 0, max: 70 }), { nil: undefined }),
      days: fc.array(fc.integer({ min: -2, max: 80 }), { maxLength: 5 }),
      requests: fc.integer({ min: 1, max: 9 }),
      isRead: fc.boolean(),
    });
    await holdsFor(100, [fc.array(history, { maxLength: 15 }), fc.integer({ min: 0, max: 200 })], (list, requests) => {
      const histories = list.map(({ count, age, days, ...rest }, n) => ({
        ...(age === undefined ? unread(names(`${n}-`, count)) : known(names(`${n}-`, count), age, days)),
        ...rest,
      }));
      const { accounts, outlook } = choose(histories, night(requests));
      const costs = new Map(histories.flatMap((one) => one.accounts.map((name) => [name, one] as const)));
      const open = histories.filter(({ isRead }) => !isRead);
      const cost = accounts.reduce((sum, name) => sum + (costs.get(name)?.requests ?? Number.NaN), 0);
      expect(new Set(accounts).size).toBe(accounts.length);
      expect(accounts.every((name) => costs.get(name)?.isRead === false)).toBe(true);
      // A budget that ends before the first account: one is planned.
      if (accounts.length > 1) expect(cost).toBeLessThanOrEqual(requests);
      if (open.reduce((sum, one) => sum + one.accounts.length * one.requests, 0) <= requests)
        expect(accounts).toHaveLength(open.reduce((sum, one) => sum + one.accounts.length, 0));
      for (const share of [outlook.usefulness, outlook.ofRoundRobin, outlook.knownWithinDay])
        if (share !== undefined) expect(share >= 0 && share <= 1).toBe(true);
    });
  });

  test("asks each account once in as many nights as there are, whatever the others do", async () => {
    const account = fc.record({ isDead: fc.boolean(), wasRead: fc.boolean(), requests: fc.integer({ min: 1, max: 4 }), period: fc.nat(9) });
    await holdsFor(
      sized(20, 300),
      [fc.array(account, { minLength: 1, maxLength: 20 }), fc.integer({ min: 4, max: 12 }), fc.nat(8)],
      (list, room, cost) => {
        const histories = list.map(({ wasRead, requests }, n) => ({
          ...(wasRead ? known([], NOW) : unread([])),
          accounts: [n],
          requests,
        })) as History<number>[];
        const askedAt = list.map(({ wasRead }): number => (wasRead ? 0 : -1));
        for (let now = 1; now <= 3 * list.length; now++) {
          const { accounts } = choose(histories, { ...night(room), now });
          // Those asked longest ago first, and of these those that fail: each of them takes of the night what is left, or less.
          const plan = accounts.toSorted(
            (a, b) => Number(askedAt[a]) - Number(askedAt[b]) || Number(list[b]?.isDead) - Number(list[a]?.isDead),
          );
          let left = room;
          for (const n of plan) {
            if (left <= 0) break;
            const { isDead, period, requests } = list[n] as (typeof list)[number];
            left -= isDead ? requests * (1 + cost) : requests;
            askedAt[n] = now;
            const one = histories[n] as History<number>;
            const { first = now, newest = now, changes = [] } = one.readings ?? {};
            const found = now % (1 + period) === 0 && now > newest ? [...changes, [newest, now] as const] : changes;
            const readings = { first, newest: now, changes: found, isNewcomer: false };
            histories[n] = isDead ? { ...one, failed: now } : { ...one, readings, failed: undefined };
          }
          for (const asked of askedAt) expect(now - Math.max(0, asked)).toBeLessThanOrEqual(list.length);
        }
      },
    );
  });

  law(
    "reads every account at least once in its greatest age, whatever it is worth, where the budget allows it at all",
    // Few of these change, and by worth alone they would be read last.
    { numRuns: sized(3, 20), examples: [[[...Array(20).fill(1), ...Array(10).fill(9)], 5, 1]] },
    [
      fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 40 }),
      fc.integer({ min: 2, max: 15 }),
      fc.integer({ min: 0, max: 8 }),
    ],
    (periods, maxAge, spare) => {
      const requests = Math.ceil(periods.length / maxAge) + spare;
      const histories = periods.map((_, n): History<number> => ({ ...known([], 0), accounts: [n], readings: undefined }));
      for (let now = 0; now < periods.length / requests + 3 * maxAge; now++) {
        for (const { readings } of histories) if (readings) expect(now - readings.newest).toBeLessThanOrEqual(maxAge);
        for (const account of choose(histories, { ...night(requests), now, maxAge }).accounts) {
          const one = histories[account] as History<number>;
          const { first = now, newest = now, changes = [] } = one.readings ?? {};
          const isChanged = now % (periods[account] as number) === 0 && now > newest;
          const found = isChanged ? [...changes, [newest, now] as const] : changes;
          histories[account] = { ...one, readings: { first, newest: now, changes: found, isNewcomer: false } };
        }
      }
    },
  );
});

test("the outlook says which age a budget keeps, and that choosing is worth more than turns", () => {
  const busy = known(["busy"], 1, everyday);
  const { outlook } = choose([busy, silent], night(4));
  expect(outlook).toMatchObject({ isAgeKept: true, requestsForAge: 2, ageMs: 30 * 86_400_000 });
  expect(outlook.usefulness).toBeGreaterThan(1.5 * (outlook.ofRoundRobin ?? 1));
  expect(choose([busy, silent], night(4, { maxAge: 3 })).outlook).toMatchObject({ isAgeKept: false, requestsForAge: 14 });
  const none = choose([busy, silent], night(0)).outlook;
  expect(none).toMatchObject({ isAgeKept: false, ageMs: Number.POSITIVE_INFINITY, usefulness: 0, ofRoundRobin: 0 });
});
