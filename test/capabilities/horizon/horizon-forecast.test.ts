import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { forecastHorizon } from "../../../src/capabilities/horizon/horizon-forecast.ts";
import type { HeadSample } from "../../../src/core/crawl/horizon/head-watch.ts";
import { law } from "../../support/property/law.ts";

const HOUR = 3_600_000;

const at = (hour: number, oldest: number, head: number): HeadSample => ({
  sampledAt: hour * HOUR,
  headVersion: BigInt(head),
  oldestVersion: BigInt(oldest),
});

/** A node whose head rises one version a second and whose horizon follows it, asked every hour. */
const steady = (hours: number, window = 1e6) =>
  Array.from({ length: hours }, (_, hour) => at(hour, 1e6 + hour * 3_600, 1e6 + window + hour * 3_600));

/** Samples in the order of time, of nodes that may do anything. */
const wild = fc
  .array(fc.record({ hour: fc.nat(200), oldest: fc.nat(1e6), window: fc.nat(1e5) }), { minLength: 1, maxLength: 30 })
  .map((list) => list.sort((a, b) => a.hour - b.hour).map(({ hour, oldest, window }) => at(hour, oldest, oldest + window)));

describe("the forecast of a horizon", () => {
  test("nobody can tell a speed from one answer, but what is gone is gone", () => {
    const forecast = forecastHorizon("node", [at(0, 1_000, 10_000)]);
    expect([forecast.speed, forecast.prunedBy(HOUR), forecast.leftMs(5_000n, 0)]).toEqual([undefined, undefined, undefined]);
    expect(forecast.leftMs(999n, 0)).toEqual({ expected: 0, worst: 0 });
  });

  test("a horizon that moves follows the head, also where it moves in batches", () => {
    expect(forecastHorizon("node", steady(20)).speed).toBe(1);
    const batches = steady(48).map((sample, hour) => ({ ...sample, oldestVersion: 1_000_000n + BigInt(Math.floor(hour / 6) * 21_600) }));
    expect(forecastHorizon("node", batches).speed).toBe(1);
  });

  test("a horizon that stands still takes nothing", () => {
    const forecast = forecastHorizon("node", [at(0, 0, 1_000), at(10, 0, 900_000)]);
    expect(forecast.leftMs(0n, 10 * HOUR)).toEqual({ expected: Infinity, worst: Infinity });
    expect(forecast.prunedBy(1e12)).toEqual({ expected: 0n, worst: 0n });
  });

  test("a nightly pin at the tip of a week's window is days from its end", () => {
    const week = 7 * 24;
    const forecast = forecastHorizon("node", steady(48, week * 3_600));
    expect(forecast.leftMs(forecast.latest.headVersion, 47 * HOUR)?.expected).toBeCloseTo(week * HOUR, -4);
    expect(forecast.leftMs(forecast.latest.headVersion, 47 * HOUR)?.worst).toBeGreaterThan((week / 2) * HOUR);
  });

  test("of nodes with different windows behind one address the shortest counts, whichever answered last", () => {
    for (const last of [19, 20]) {
      const samples = steady(last).map((sample, hour) =>
        hour % 2 === 0 ? sample : { ...sample, oldestVersion: sample.oldestVersion + 500_000n },
      );
      const { oldest, lowest, leftMs } = forecastHorizon("node", samples);
      expect(oldest).toBeGreaterThanOrEqual(1_500_000n + 17n * 3_600n);
      expect(lowest).toBeLessThan(1_100_000n);
      expect(leftMs(1_400_000n, last * HOUR)).toEqual({ expected: 0, worst: 0 });
    }
    const { oldest, lowest } = forecastHorizon("node", steady(20));
    expect(lowest).toBe(oldest);
  });

  law("what is said of tomorrow never lies after the head, and at worst more is gone", 100, [wild, fc.nat(1_000)], (samples, hours) => {
    const forecast = forecastHorizon("node", samples);
    const nowMs = forecast.latest.sampledAt;
    const gone = forecast.prunedBy(nowMs + hours * HOUR);
    if (gone === undefined) return;
    expect(gone.worst <= forecast.latest.headVersion).toBe(true);
    expect(gone.worst >= gone.expected).toBe(true);
    for (const version of [0n, forecast.oldest, forecast.latest.headVersion]) {
      const left = forecast.leftMs(version, nowMs);
      expect(left?.worst).toBeLessThanOrEqual(left?.expected ?? -1);
      // What is alive by one is not gone by the other.
      if (left !== undefined && left.worst > hours * HOUR) expect(gone.worst <= version + 1n).toBe(true);
    }
  });
});
