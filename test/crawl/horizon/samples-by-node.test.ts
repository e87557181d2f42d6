import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { HeadSample } from "../../../src/crawl/horizon/horizon.ts";
import { samplesByNode } from "../../../src/crawl/horizon/horizon-forecast.ts";

const sample = (second: number, head: number, oldest: number): HeadSample => ({
  sampledAt: second * 1000,
  headVersion: BigInt(head),
  oldestVersion: BigInt(oldest),
});

describe("samplesByNode", () => {
  test("one node is one list, whether its horizon rises steadily, leaps or falls back", () => {
    const steady = Array.from({ length: 50 }, (_, i) => sample(i * 60, 100_000 + i * 600, i * 600));
    expect(samplesByNode(steady)).toEqual([steady]);
    const leap = [sample(0, 100_000, 0), sample(60, 100_600, 40_000), sample(120, 101_200, 40_600)];
    expect(samplesByNode(leap)).toEqual([leap]);
    const restart = [sample(0, 100_000, 1_000), sample(60, 100_600, 1_600), sample(120, 101_200, 900), sample(180, 101_800, 1_500)];
    expect(samplesByNode(restart)).toEqual([restart]);
  });

  test("nodes that answer in turn are told apart by their windows, in any mixture", () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 4 }),
        fc.array(fc.nat(3), { minLength: 8, maxLength: 60 }),
        (windows, turns) => {
          // Each node speaks at the beginning and at the end, so that none of them can be taken for another's past.
          const order = [...windows.keys(), ...turns.map((turn) => turn % windows.length), ...windows.keys()];
          const samples = order.map((node, i) => {
            const head = 10_000_000 + i * 100;
            return sample(i * 10, head, head - (windows[node] as number) * 100_000);
          });
          const lanes = samplesByNode(samples);
          expect(lanes).toHaveLength(windows.length);
          for (const lane of lanes) expect(new Set(lane.map((s) => s.headVersion - s.oldestVersion)).size).toBe(1);
        },
      ),
    );
  });

  test("loses no sample and keeps the order of time", () => {
    const anything = fc.array(fc.record({ second: fc.nat(100_000), head: fc.nat(1e6), below: fc.nat(1e6) }), { maxLength: 40 });
    fc.assert(
      fc.property(anything, (list) => {
        const samples = list
          .sort((a, b) => a.second - b.second)
          .map(({ second, head, below }) => sample(second, head, Math.max(0, head - below)));
        const lanes = samplesByNode(samples);
        expect(lanes.flat()).toHaveLength(samples.length);
        expect(new Set(lanes.flat())).toEqual(new Set(samples));
        for (const lane of lanes) expect(lane).toEqual([...lane].sort((a, b) => a.sampledAt - b.sampledAt));
      }),
    );
  });
});
