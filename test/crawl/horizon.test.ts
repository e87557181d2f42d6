import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type HeadSample, horizonSpeed, timeLeftMs } from "../../src/crawl/horizon.ts";

const at = (minute: number, oldest: number): HeadSample => ({
  atMs: minute * 60_000,
  headVersion: BigInt(oldest) + 1_000n,
  oldestVersion: BigInt(oldest),
});

describe("horizonSpeed", () => {
  test("is unknown from one sample, and from samples within a minute", () => {
    expect(horizonSpeed([])).toBeUndefined();
    expect(horizonSpeed([at(0, 10)])).toBeUndefined();
    expect(horizonSpeed([at(0, 10), at(0.5, 4_000)])).toBeUndefined();
  });

  test("tells the average from the worst stretch", () => {
    const speed = horizonSpeed([at(0, 0), at(10, 600), at(20, 7_200)]);
    expect(speed).toEqual({ average: 6, worst: 11, sampledMs: 1_200_000 });
  });

  test("a step backwards is no progress", () => {
    expect(horizonSpeed([at(0, 1_000), at(10, 100)])).toMatchObject({ average: 0, worst: 0 });
  });

  test("the worst is never below the average, and neither is negative", () => {
    const sample = fc.record({ minutes: fc.nat(1_000), oldest: fc.nat(1_000_000) });
    fc.assert(
      fc.property(fc.array(sample, { minLength: 2, maxLength: 20 }), (steps) => {
        const sorted = [...steps].sort((a, b) => a.minutes - b.minutes).map(({ minutes, oldest }) => at(minutes, oldest));
        const speed = horizonSpeed(sorted);
        if (speed === undefined) return;
        expect(speed.average).toBeGreaterThanOrEqual(0);
        expect(speed.worst).toBeGreaterThanOrEqual(speed.average);
      }),
    );
  });
});

describe("timeLeftMs", () => {
  const latest = at(0, 1_000);

  test("until the horizon passes the version", () => {
    expect(timeLeftMs(1_099n, latest, 0, 10)).toBe(10_000);
    expect(timeLeftMs(1_099n, latest, 4_000, 10)).toBe(6_000);
  });

  test("is over when it has, and open when the horizon stands", () => {
    expect(timeLeftMs(999n, latest, 0, 10)).toBe(0);
    expect(timeLeftMs(1_000n, latest, 0, 0)).toBeUndefined();
  });
});
