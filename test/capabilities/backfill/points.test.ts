import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { admit, nextFromOldest } from "../../../src/capabilities/backfill/admission.ts";
import { type PointsRequest, planVersions } from "../../../src/capabilities/backfill/backfill-points.ts";
import { LedgerTime } from "../../../src/core/crawl/horizon/ledger-time.ts";
import { law } from "../../support/property/law.ts";

const DAY = 86_400_000;
const window = { oldestVersion: 1_000n, ledgerVersion: 9_500n };
const versions = (request: PointsRequest) => planVersions(request, window, undefined).map(({ version }) => version);

/** A hundred versions a second since 1970, told at these versions. */
const even = (...told: bigint[]) => LedgerTime.from(told.map((version) => ({ version, timestampUsec: version * 10_000n }))) as LedgerTime;

describe("planVersions", () => {
  test("versions are multiples of the step, the same ones another night", () => {
    expect(versions({ every: { versions: 2_000n } })).toEqual([2_000n, 4_000n, 6_000n, 8_000n]);
    expect(versions({ every: { versions: 2_000n }, from: { behind: 4_000n }, to: { version: 99_999n } })).toEqual([6_000n, 8_000n]);
  });

  test("moments are multiples of the step in UTC, mapped to versions", () => {
    const day = BigInt(DAY / 10);
    const request = { every: { ms: DAY } };
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
      const request = { every: { ms: DAY }, from: { atMs: first * DAY }, to: { atMs: (first + 2) * DAY } };
      const points = planVersions(request, { oldestVersion, ledgerVersion }, slow(10, 11));
      expect(points.map(({ wantedTime }) => wantedTime)).toEqual([first, first + 1, first + 2].map((day) => day * DAY));
    }
  });

  test("an empty stretch and a flood are refused with both ends named", () => {
    expect(() => versions({ every: { versions: 1n }, from: { version: 9_000n }, to: { version: 8_000n } })).toThrow(/from 9000 to 8000/);
    expect(() => versions({ every: { versions: 1n } })).toThrow(/more than 5000/);
  });
});

test("the oldest come first; what would be late after them is left out, so that others are saved whole", () => {
  const jobs = [1n, 2n, 3n, 4n, 5n, 6n].map((version) => ({ version, requests: 10 }));
  const { able, refused, requests } = admit(jobs, 10, (version) => Math.max(0, Number(version) - 1) * 62, 20);
  expect([able.map(({ version }) => version), requests]).toEqual([[3n, 5n], 20]);
  expect([...refused]).toEqual([
    [1n, "pruned"],
    [2n, "time"],
    [4n, "time"],
    [6n, "budget"],
  ]);
});

/**
 * Reads one account's versions in an order, where a version between two equal snapshots that are near enough is not read. Returns what
 * was read, each once.
 */
function readAll(
  values: readonly number[],
  nextOf: (open: readonly bigint[], sealed: readonly bigint[]) => bigint | undefined,
  maxApart = Number.POSITIVE_INFINITY,
): Set<number> {
  const read = new Set<number>();
  for (;;) {
    const sealed = [...read].sort((a, b) => a - b);
    const open = values.flatMap((_, at) => {
      if (read.has(at)) return [];
      const [before, after] = [sealed.findLast((other) => other < at), sealed.find((other) => other > at)];
      const isInferred = before !== undefined && after !== undefined && after - before <= maxApart && values[before] === values[after];
      return isInferred ? [] : [BigInt(at)];
    });
    if (open.length === 0) return read;
    const next = nextOf(open, sealed.map(BigInt));
    expect(open).toContain(next);
    read.add(Number(next));
  }
}

/** A value that changes at these places and never back. */
const valuesOf = (length: number, changes: readonly number[]): number[] =>
  Array.from({ length }, (_, at) => changes.filter((change) => change <= at).length);

describe("nextFromOldest", () => {
  law(
    "equal ends stop; each change costs a logarithm, and every change is found between its neighbours",
    100,
    [fc.integer({ min: 1, max: 400 }), fc.array(fc.nat(399), { maxLength: 6 })],
    (length, places) => {
      const changes = [...new Set(places.filter((place) => place > 0 && place < length))];
      const values = valuesOf(length, changes);
      const read = readAll(
        values,
        (open, sealed) =>
          nextFromOldest(
            open.map((version) => ({ version })),
            sealed,
          ).version,
      );
      const perChange = Math.ceil(Math.log2(Math.max(2, length)));
      expect(read.size).toBeLessThanOrEqual(2 + changes.length * perChange);
      for (const change of changes) expect([change - 1, change].every((at) => read.has(at))).toBe(true);
    },
  );
});
