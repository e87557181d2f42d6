import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { goneBy, type HeadSample, horizonSpeed, lifeOf } from "../../src/crawl/horizon.ts";

const at = (minute: number, oldest: number, head = oldest + 1_000): HeadSample => ({
  atMs: minute * 60_000,
  headVersion: BigInt(head),
  oldestVersion: BigInt(oldest),
});

/** Samples in the order of time, with a horizon that may do anything. */
const wild = fc
  .array(fc.record({ minute: fc.nat(5_000), oldest: fc.nat(1_000_000), window: fc.nat(100_000) }), { minLength: 2, maxLength: 30 })
  .map((list) => [...list].sort((a, b) => a.minute - b.minute).map(({ minute, oldest, window }) => at(minute, oldest, oldest + window)));

describe("horizonSpeed", () => {
  test("is unknown from one sample, and from samples within a minute", () => {
    expect(horizonSpeed([])).toBeUndefined();
    expect(horizonSpeed([at(0, 10)])).toBeUndefined();
    expect(horizonSpeed([at(0, 10), at(0.5, 4_000)])).toBeUndefined();
  });

  test("a steady horizon has no leap", () => {
    expect(horizonSpeed([at(0, 0), at(10, 600), at(20, 1_200)])).toEqual({ average: 1, sustained: 1, leap: 0, sampledMs: 1_200_000 });
  });

  test("pruning in batches is a leap, not a speed", () => {
    // An hour's worth at once, on the hour; asked every ten minutes for a day.
    const samples = Array.from({ length: 145 }, (_, i) => at(i * 10, Math.floor(i / 6) * 3_600, 10_000 + i * 600));
    const speed = horizonSpeed(samples);
    expect(speed?.average).toBe(1);
    expect(speed?.sustained).toBeLessThan(1.2);
    expect(speed?.leap).toBeGreaterThan(2_000);
    expect(speed?.leap).toBeLessThanOrEqual(3_600);
  });

  test("a horizon that moves at all is taken to keep up with the head", () => {
    expect(horizonSpeed([at(0, 0, 50_000), at(10, 600, 56_000)])).toMatchObject({ average: 1, sustained: 10 });
    expect(horizonSpeed([at(0, 0, 50_000), at(10, 0, 56_000)])).toMatchObject({ average: 0, sustained: 0, leap: 0 });
  });

  test("a step backwards is no progress", () => {
    expect(horizonSpeed([at(0, 1_000), at(10, 100)])).toMatchObject({ average: 0, sustained: 0, leap: 0 });
  });

  test("no pair of samples breaks the bound", () => {
    fc.assert(
      fc.property(wild, (samples) => {
        const speed = horizonSpeed(samples);
        if (speed === undefined) return;
        expect(speed.sustained).toBeGreaterThanOrEqual(speed.average);
        for (const [i, from] of samples.entries()) {
          for (const to of samples.slice(i)) {
            const bound = speed.leap + (speed.sustained * (to.atMs - from.atMs)) / 1000;
            expect(Number(to.oldestVersion - from.oldestVersion)).toBeLessThanOrEqual(bound + 1e-3);
          }
        }
      }),
    );
  });
});

describe("lifeOf and goneBy", () => {
  const latest = at(0, 1_000);
  const speed = { average: 10, sustained: 20, leap: 40, sampledMs: 1 };

  test("until the horizon passes the version, and sooner at worst", () => {
    expect(lifeOf(1_099n, latest, speed)).toEqual({ expected: 10_000, worst: 3_000 });
    expect(goneBy(latest, speed, 10_000)).toEqual({ expected: 1_100n, worst: 1_240n });
  });

  test("is over when it has, and endless when the horizon stands", () => {
    expect(lifeOf(999n, latest, speed)).toEqual({ expected: 0, worst: 0 });
    const still = { average: 0, sustained: 0, leap: 0, sampledMs: 1 };
    expect(lifeOf(1_000n, latest, still)).toEqual({ expected: Infinity, worst: Infinity });
    expect(goneBy(latest, still, 1e9)).toEqual({ expected: 1_000n, worst: 1_000n });
  });

  test("what is alive by one is not gone by the other", () => {
    fc.assert(
      fc.property(fc.nat(10_000), fc.integer({ min: 1, max: 100_000 }), (above, ms) => {
        const version = latest.oldestVersion + BigInt(above);
        const life = lifeOf(version, latest, speed);
        const gone = goneBy(latest, speed, ms);
        if (life.worst > ms) expect(gone.worst <= version + 1n).toBe(true);
        expect(life.worst).toBeLessThanOrEqual(life.expected);
        expect(gone.worst >= gone.expected).toBe(true);
      }),
    );
  });
});
