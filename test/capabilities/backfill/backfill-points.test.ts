import { describe, expect, test } from "vitest";
import { type PointsRequest, planVersions } from "../../../src/capabilities/backfill/backfill-points.ts";
import { LedgerTime } from "../../../src/core/crawl/horizon/ledger-time.ts";

const DAY = 86_400_000;
const window = { oldestVersion: 1_000n, ledgerVersion: 9_500n };
const nothing = { every: undefined, from: undefined, to: undefined, count: undefined };
const ask = (request: Partial<PointsRequest>): PointsRequest => ({ ...nothing, ...request });
const versions = (request: Partial<PointsRequest>) => planVersions(ask(request), window, undefined).map(({ version }) => version);

/** A hundred versions a second since 1970, told at these versions. */
const even = (...told: bigint[]) => LedgerTime.from(told.map((version) => ({ version, timestampUsec: version * 10_000n }))) as LedgerTime;

describe("planVersions", () => {
  test("points spread evenly begin a little above a horizon that moves, and at the edge of one that does not", () => {
    // A two-hundredth of the window of 8,500 versions.
    expect(versions({ count: 2 })).toEqual([1_043n, 9_500n]);
    expect(versions({ count: 2, from: { version: 1_001n } })).toEqual([1_001n, 9_500n]);
    const archive = { oldestVersion: 0n, ledgerVersion: 9_500n };
    expect(planVersions(ask({ count: 2 }), archive, undefined).map(({ version }) => version)).toEqual([1n, 9_500n]);
  });

  test("versions are multiples of the step, the same ones another night", () => {
    expect(versions({ every: { versions: 2_000n } })).toEqual([2_000n, 4_000n, 6_000n, 8_000n]);
    expect(versions({ every: { versions: 2_000n }, from: { behind: 4_000n }, to: { version: 99_999n } })).toEqual([6_000n, 8_000n]);
  });

  test("count takes the newest, or the first after a beginning, or spreads evenly", () => {
    expect(versions({ every: { versions: 1_000n }, count: 2 })).toEqual([8_000n, 9_000n]);
    expect(versions({ every: { versions: 1_000n }, count: 2, from: { version: 3_000n } })).toEqual([3_000n, 4_000n]);
    expect(versions({ count: 3, from: { version: 2_000n }, to: { version: 8_000n } })).toEqual([2_000n, 5_000n, 8_000n]);
  });

  test("moments are multiples of the step in UTC, mapped to versions", () => {
    const day = BigInt(DAY / 10);
    const request = ask({ every: { ms: DAY } });
    const points = planVersions(request, { oldestVersion: day / 2n, ledgerVersion: 3n * day + 5n }, even(2n * day, 3n * day));
    expect(points.map(({ version, wantedTime }) => [version, wantedTime])).toEqual([
      [day, DAY],
      [2n * day, 2 * DAY],
      [3n * day, 3 * DAY],
    ]);
    expect(points[0]?.timeErrorMs).toBeGreaterThan(points[1]?.timeErrorMs as number);
  });

  test("moments before the first mark are as good, also the first of a range, and the last", () => {
    // Twenty versions a second: one lasts 50 ms, and times are rounded to whole ones.
    const slow = (...days: number[]) =>
      LedgerTime.from(
        days.map((day) => ({ version: BigInt(day) * 1_728_000n + 7n, timestampUsec: BigInt(day) * 86_400_000_000n + 12_345_678_000n })),
      ) as LedgerTime;
    const [oldestVersion, ledgerVersion] = [0n, 1_728_000n * 12n];
    for (const first of [1, 3, 7]) {
      const request = ask({ every: { ms: DAY }, from: { atMs: first * DAY }, to: { atMs: (first + 2) * DAY } });
      const points = planVersions(request, { oldestVersion, ledgerVersion }, slow(10, 11));
      expect(points.map(({ wantedTime }) => wantedTime)).toEqual([first, first + 1, first + 2].map((day) => day * DAY));
    }
  });

  test("an empty stretch and a flood are refused with both ends named", () => {
    expect(() => versions({ every: { versions: 1n }, from: { version: 9_000n }, to: { version: 8_000n } })).toThrow(/from 9000 to 8000/);
    expect(() => versions({ every: { versions: 1n } })).toThrow(/more than 5000/);
  });
});
