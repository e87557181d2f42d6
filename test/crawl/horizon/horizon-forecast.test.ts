import { describe, expect, test } from "vitest";
import { storedForecasts } from "../../../src/crawl/horizon/horizon-forecast.ts";
import type { StoredSample } from "../../../src/work/runs/runs.ts";

const HOUR = 3_600_000;
const stored = (node: string, sampledAt: number, headVersion: number, oldestVersion: number) => ({
  node,
  sampledAt,
  headVersion: BigInt(headVersion),
  oldestVersion: BigInt(oldestVersion),
  timestampUsec: 0n,
});

const forecasts = (samples: readonly StoredSample[]) => storedForecasts({ headSamples: async () => [...samples] }, 0);

describe("storedForecasts", () => {
  test("nobody can tell from one word, but what is gone is gone", async () => {
    const [forecast] = await forecasts([stored("a", 0, 10_000, 1_000)]);
    expect(forecast?.leftMs(5_000n, 0)).toBeUndefined();
    expect(forecast?.leftMs(999n, 0)).toEqual({ best: 0, expected: 0, worst: 0 });
    expect(forecast?.prunedBy(HOUR)).toBeUndefined();
  });

  test("a healthy nightly pin at the tip of a week's window is days from its end", async () => {
    // 160 versions a second, a window of a week, two words a night for three nights.
    const window = 160 * 7 * 24 * 3_600;
    const nights = [0, 24, 48].flatMap((hour) => [hour, hour + 0.5]);
    const samples = nights.map((hour) => stored("a", hour * HOUR, 5e9 + hour * 576_000, 5e9 + hour * 576_000 - window));
    const [forecast] = await forecasts(samples);
    const pin = BigInt(5e9 + 48.5 * 576_000 - 4_000);
    expect(forecast?.leftMs(pin, 48.5 * HOUR)?.worst).toBeGreaterThan(6.9 * 24 * HOUR);
  });

  test("of two nodes behind one address the one with the shorter window counts, and their difference is no leap", async () => {
    const samples = Array.from({ length: 20 }, (_, i) => stored("a", i * HOUR, 1e6 + i * 3_600, (i % 2 === 0 ? 1e5 : 5e5) + i * 3_600));
    const [forecast] = await forecasts(samples);
    expect(forecast?.nodes).toBe(2);
    expect(forecast?.speed).toMatchObject({ average: 1, sustained: 1 });
    expect(forecast?.speed?.leap).toBeLessThan(1);
    expect(forecast?.leftMs(400_000n, 19 * HOUR)).toEqual({ best: 0, expected: 0, worst: 0 });
    expect(forecast?.leftMs(BigInt(5e5 + 19 * 3_600 + 3_599), 19 * HOUR)?.expected).toBeCloseTo(HOUR, -2);
  });

  test("each address has its own, the latest heard first", async () => {
    const list = await forecasts([stored("a", 0, 10, 1), stored("b", 5, 20, 2), stored("a", 9, 12, 1)]);
    expect(list.map(({ node, latest }) => [node, latest.headVersion])).toEqual([
      ["a", 12n],
      ["b", 20n],
    ]);
  });
});
