import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { RateShare } from "../../../src/node/pace/rate-share.ts";
import { burstOf } from "../../../src/node/pace/token-bucket.ts";
import { type RateClaim, shareOf } from "../../../src/work/pace/common-pace.ts";
import { sized } from "../../run-size.ts";

const claim = (wantsMilli: number, grantedMilli: number, limitMilli = 100_000): RateClaim => ({ limitMilli, wantsMilli, grantedMilli });

describe("a part of a shared rate", () => {
  test("is all of it for one who is alone, and equal parts for those who want all", () => {
    expect(shareOf(claim(100_000, 0), [])).toBe(100_000);
    expect(shareOf(claim(100_000, 0), [claim(100_000, 25_000), claim(100_000, 25_000), claim(100_000, 25_000)])).toBe(25_000);
  });

  test("is larger by what others do not want", () => {
    expect(shareOf(claim(100_000, 0), [claim(10_000, 10_000), claim(100_000, 45_000)])).toBe(45_000);
    expect(shareOf(claim(10_000, 0), [claim(100_000, 45_000), claim(100_000, 45_000)])).toBe(10_000);
  });

  test("is what those before leave until they renew theirs", () => {
    expect(shareOf(claim(100_000, 0), [claim(100_000, 100_000)])).toBe(0);
    expect(shareOf(claim(100_000, 100_000), [claim(100_000, 0)])).toBe(50_000);
    expect(shareOf(claim(100_000, 0), [claim(100_000, 50_000)])).toBe(50_000);
  });

  test("goes by the smallest limit", () => {
    expect(shareOf(claim(100_000, 0), [claim(20_000, 0, 20_000)])).toBe(10_000);
  });
});

/** Processes that come, send as much as they may, stand still, die and renew their parts at any moment, on one clock. */
type Step = { readonly afterMs: number; readonly worker: number; readonly does: "renew" | "die" | "stop" };

const GRANT_MS = 2_500;

/** What was sent, and when, by workers that renew as `renewShare` does. */
function play(rate: number, workers: number, steps: readonly Step[]): { readonly sentAtMs: number[]; readonly lives: number } {
  const sentAtMs: number[] = [];
  const table = new Map<number, RateClaim & { readonly untilMs: number }>();
  const shares = new Map<number, RateShare>();
  let [now, lives] = [0, 0];
  const stopped = new Set<number>();
  const sendAll = (untilMs: number) => {
    for (; now < untilMs; now += 5) {
      for (const [worker, share] of shares) {
        while (!stopped.has(worker) && share.waitMs(now) <= 0) {
          share.pass();
          sentAtMs.push(now);
        }
      }
    }
  };
  for (const { afterMs, worker: named, does } of steps) {
    sendAll(now + afterMs);
    const worker = named % workers;
    if (does === "die") shares.delete(worker);
    if (does === "stop") stopped.has(worker) ? stopped.delete(worker) : stopped.add(worker);
    if (does !== "renew") continue;
    if (!shares.has(worker)) lives += 1;
    const share = shares.get(worker) ?? new RateShare(rate, now);
    shares.set(worker, share);
    share.waitMs(now);
    const wish = share.wish(now);
    if (wish === undefined || stopped.has(worker)) continue;
    const mine = { limitMilli: Math.floor(wish.limitPerSecond * 1000), wantsMilli: Math.floor(wish.wantsPerSecond * 1000) };
    const others = [...table].flatMap(([of, row]) => (of !== worker && row.untilMs > now ? [row] : []));
    const grantedMilli = shareOf(mine, others);
    table.set(worker, { ...mine, grantedMilli, untilMs: now + GRANT_MS });
    expect(others.reduce((sum, row) => sum + row.grantedMilli, grantedMilli)).toBeLessThanOrEqual(rate * 1000);
    share.grant({ perSecond: grantedMilli / 1000, untilMs: now + GRANT_MS });
  }
  return { sentAtMs, lives };
}

test("however workers come, stop and die, they never send more than the rate and their bursts within any second", () => {
  const step = fc.record({
    afterMs: fc.integer({ min: 0, max: 1_500 }),
    worker: fc.nat(5),
    does: fc.constantFrom("renew", "renew", "renew", "renew", "die", "stop") as fc.Arbitrary<Step["does"]>,
  });
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 200 }),
      fc.integer({ min: 1, max: 6 }),
      fc.array(step, { maxLength: 40 }),
      (rate, workers, steps) => {
        const { sentAtMs, lives } = play(rate, workers, steps);
        // A bucket of each that ever lived may be full when it is granted its part.
        const most = rate + lives * burstOf(rate);
        for (let first = 0, last = 0; last < sentAtMs.length; last++) {
          while ((sentAtMs[last] as number) - (sentAtMs[first] as number) >= 1_000) first += 1;
          expect(last - first + 1).toBeLessThanOrEqual(most + 1e-6);
        }
      },
    ),
    { numRuns: sized(100, 1_000) },
  );
});

test("three that want all of it use it up between them within three seconds", () => {
  const renewals: Step[] = Array.from({ length: 60 }, (_, i) => ({ afterMs: 333, worker: i, does: "renew" }));
  const { sentAtMs } = play(90, 3, renewals);
  const inSecond = (second: number) => sentAtMs.filter((at) => Math.floor(at / 1_000) === second).length;
  for (let second = 3; second < 18; second++) expect(inSecond(second), `second ${second}`).toBeGreaterThanOrEqual(85);
});
