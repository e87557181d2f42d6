import fc from "fast-check";
import { expect, test } from "vitest";
import { RateMeter } from "../../../src/crawl/night/progress.ts";

test("a steady pace is measured as it is, whatever came before the last ten seconds", () => {
  const meter = new RateMeter();
  for (let ms = 0; ms <= 20_000; ms += 100) meter.measure(ms, ms * 5);
  let rate = 0;
  for (let ms = 20_100; ms <= 40_000; ms += 100) rate = meter.measure(ms, 100_000 + (ms - 20_000) / 100);
  expect(rate).toBeCloseTo(10, 1);
});

test("one moment alone has no rate, and no rate is negative", () => {
  expect(new RateMeter().measure(5, 100)).toBe(0);
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(5000), fc.nat(50)), { maxLength: 60 }), (steps) => {
      const meter = new RateMeter();
      let [atMs, count] = [0, 0];
      for (const [ms, events] of steps) {
        atMs += ms;
        count += events;
        expect(meter.measure(atMs, count)).toBeGreaterThanOrEqual(0);
      }
    }),
  );
});
