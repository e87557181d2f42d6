import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { burstOf, TokenBucket } from "../../../src/node/pace/token-bucket.ts";

/** Times, in milliseconds, at which tokens were taken by someone who asks at the given gaps and takes whatever is there. */
function takings(perSecond: number, gapsMs: readonly number[]): number[] {
  const bucket = new TokenBucket(perSecond, 0);
  const taken: number[] = [];
  let now = 0;
  for (const gap of gapsMs) {
    now += gap;
    while (bucket.waitMs(now) === 0 && taken.length < 10_000) {
      bucket.take();
      taken.push(now);
    }
  }
  return taken;
}

describe("TokenBucket", () => {
  test("in any stretch of t seconds no more than rate * t + burst are taken", () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0.05, max: 200, noNaN: true }),
        fc.array(fc.integer({ min: 0, max: 3000 }), { maxLength: 60 }),
        (rate, gaps) => {
          const taken = takings(rate, gaps);
          for (let first = 0; first < taken.length; first++) {
            for (let last = first; last < taken.length; last++) {
              const seconds = ((taken[last] as number) - (taken[first] as number)) / 1000;
              expect(last - first + 1).toBeLessThanOrEqual(rate * seconds + burstOf(rate) + 1e-6);
            }
          }
        },
      ),
      { numRuns: 150 },
    );
  });

  test("after the wait it names there is a token, and a millisecond before there is none", () => {
    fc.assert(
      fc.property(fc.double({ min: 0.05, max: 100, noNaN: true }), fc.integer({ min: 0, max: 20 }), (rate, spare) => {
        const bucket = new TokenBucket(rate, 0);
        let now = 0;
        for (let count = 0; count <= spare; count++) {
          const wait = bucket.waitMs(now);
          if (wait > 2) expect(bucket.waitMs(now + wait - 1)).toBeGreaterThan(0);
          now += wait;
          expect(bucket.waitMs(now)).toBeLessThan(1e-6);
          bucket.take();
        }
      }),
    );
  });

  test("a clock that goes back gives no tokens and takes none away", () => {
    const bucket = new TokenBucket(1, 10_000);
    bucket.take();
    expect(bucket.waitMs(10_000)).toBe(1000);
    expect(bucket.waitMs(2000)).toBe(1000);
    expect(bucket.waitMs(3000)).toBe(0);
  });

  test("a lower rate loses the tokens above its store", () => {
    const bucket = new TokenBucket(1000, 0);
    bucket.setRate(1, 0);
    bucket.take();
    expect(bucket.waitMs(0)).toBeCloseTo(1000);
  });

  test("without a limit there is always a token", () => {
    const bucket = new TokenBucket(Number.POSITIVE_INFINITY, 0);
    for (let count = 0; count < 1000; count++) bucket.take();
    expect(bucket.waitMs(0)).toBe(0);
  });
});
