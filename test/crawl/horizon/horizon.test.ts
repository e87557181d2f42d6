import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { endOf, type HeadSample, horizonSpeed, lifeOf, prunedBy } from "../../../src/crawl/horizon/horizon.ts";

const at = (minute: number, oldest: number, head = oldest + 1_000): HeadSample => ({
  sampledAt: minute * 60_000,
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
    const steady = { average: 1, sustained: 1, leap: 0, stoodMs: 0, sampledMs: 1_200_000 };
    expect(horizonSpeed([at(0, 0), at(10, 600), at(20, 1_200)])).toEqual(steady);
  });

  test("pruning in batches is a leap, not a speed", () => {
    // An hour's worth at once, on the hour; asked every ten minutes for a day.
    const samples = Array.from({ length: 145 }, (_, i) => at(i * 10, Math.floor(i / 6) * 3_600, 10_000 + i * 600));
    const speed = horizonSpeed(samples);
    expect(speed?.average).toBe(1);
    expect(speed?.sustained).toBeLessThan(1.2);
    expect(speed?.leap).toBeGreaterThan(2_000);
    expect(speed?.leap).toBeLessThanOrEqual(3_600);
    expect(speed?.stoodMs).toBe(3_600_000);
  });

  test("an operator's leap is nothing to expect again: the head's pace is", () => {
    const samples = Array.from({ length: 49 }, (_, i) => at(i * 60, i * 3_600 + (i < 24 ? 0 : 50_000), 1_000_000 + i * 3_600));
    expect(horizonSpeed(samples)).toMatchObject({ average: 1 });
    expect(horizonSpeed(samples)?.sustained).toBeGreaterThan(1);
  });

  test("how long it stood is at most twice what was seen of it", () => {
    // Heard twice, half an hour apart, then a day later.
    expect(horizonSpeed([at(0, 0), at(30, 0), at(1_470, 50_000)])?.stoodMs).toBe(3_600_000);
    expect(horizonSpeed([at(0, 0), at(30, 0), at(40, 50_000)])?.stoodMs).toBe(2_400_000);
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
            const bound = speed.leap + (speed.sustained * (to.sampledAt - from.sampledAt)) / 1000;
            expect(Number(to.oldestVersion - from.oldestVersion)).toBeLessThanOrEqual(bound + 1e-3);
          }
        }
      }),
    );
  });
});

describe("lifeOf and prunedBy", () => {
  const latest = at(0, 1_000);
  const end = { latest, risenAtMs: 0 };
  const speed = { average: 10, sustained: 20, leap: 40, stoodMs: 500, sampledMs: 1 };

  test("until the horizon passes the version, sooner at worst, and later when it stands first", () => {
    expect(lifeOf(1_099n, end, speed, 0)).toEqual({ best: 10_500, expected: 10_000, worst: 3_000 });
    expect(prunedBy(end, speed, 10_000)).toEqual({ expected: 1_100n, worst: 1_240n });
  });

  test("is over when it has, and endless when the horizon stands", () => {
    expect(lifeOf(999n, end, speed, 0)).toEqual({ best: 0, expected: 0, worst: 0 });
    const still = { average: 0, sustained: 0, leap: 0, stoodMs: 0, sampledMs: 1 };
    expect(lifeOf(1_000n, end, still, 0)).toEqual({ best: Infinity, expected: Infinity, worst: Infinity });
    expect(prunedBy(end, still, 1e9)).toEqual({ expected: 1_000n, worst: 1_000n });
  });

  test("runs from when the horizon last rose, since in batches it is late until the next", () => {
    const samples = [at(0, 400), at(10, 1_000), at(20, 1_000), at(30, 1_000)];
    expect(endOf(samples)).toEqual({ latest: samples[3], risenAtMs: 600_000 });
    // A tenth of a version a second: 400 versions above, 4,000 seconds, of which 1,200 have passed.
    const slow = { average: 0.1, sustained: 0.1, leap: 0, stoodMs: 0, sampledMs: 1 };
    expect(lifeOf(1_399n, endOf(samples), slow, 1_800_000).expected).toBeCloseTo(4_000_000, 0);
    const steadier = { ...slow, sustained: 1 };
    expect(lifeOf(1_399n, endOf(samples), steadier, 1_800_000).expected).toBeCloseTo(2_800_000, 0);
  });

  test("a horizon that has stood for long makes nothing unreadable: what it has not pruned lives on", () => {
    const stood = { latest: at(10_000, 1_000), risenAtMs: 0 };
    expect(lifeOf(1_000n, stood, speed, 600_000_000).expected).toBeGreaterThan(0);
    expect(prunedBy(stood, speed, 600_000_000).expected).toBe(1_000n);
  });

  test("what is alive by one is not gone by the other", () => {
    const ends = fc.record({ latestMs: fc.nat(100_000), stoodMs: fc.nat(100_000) }).map(({ latestMs, stoodMs }) => ({
      latest: { ...latest, sampledAt: latestMs },
      risenAtMs: latestMs - stoodMs,
    }));
    fc.assert(
      fc.property(ends, fc.nat(10_000), fc.integer({ min: 1, max: 100_000 }), (end, above, ms) => {
        const version = latest.oldestVersion + BigInt(above);
        const now = end.latest.sampledAt;
        const life = lifeOf(version, end, speed, now);
        const gone = prunedBy(end, speed, now + ms);
        if (life.worst > ms) expect(gone.worst <= version + 1n).toBe(true);
        if (life.expected > ms) expect(gone.expected <= version + 1n).toBe(true);
        expect(life.worst).toBeLessThanOrEqual(life.expected);
        expect(life.expected).toBeLessThanOrEqual(life.best);
        expect(gone.worst >= gone.expected).toBe(true);
      }),
    );
  });
});
