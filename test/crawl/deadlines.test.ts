import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { admit, isHopeless, isUrgent, type Job, type Means, nextJob } from "../../src/crawl/deadlines.ts";
import { horizons, orders, simulate } from "../bench/backfill-orders.ts";

/** One version dies every millisecond, from version 1 on; a request takes a millisecond. */
function means(options: { readonly budget?: number; readonly msPerRequest?: number } = {}): Means {
  const left = (version: bigint) => ({ expected: Number(version), worst: Number(version) / 2 });
  return { msPerRequest: options.msPerRequest ?? 1, budget: options.budget ?? Number.POSITIVE_INFINITY, leftMs: left };
}

const job = (version: number, requests: number): Job => ({ version: BigInt(version), requests });

describe("admit", () => {
  test("takes everything on, by deadline, when everything can be saved", () => {
    const jobs = [job(300, 100), job(100, 100), job(200, 100)];
    expect(admit(jobs, means())).toEqual({ order: [job(100, 100), job(200, 100), job(300, 100)], refused: [] });
  });

  test("drops the dearest of those that would be late, and says why", () => {
    const jobs = [job(100, 90), job(110, 30), job(150, 30)];
    expect(admit(jobs, means())).toEqual({ order: [job(110, 30), job(150, 30)], refused: [{ job: job(100, 90), why: "time" }] });
    expect(admit([job(0, 1)], means()).refused).toEqual([{ job: job(0, 1), why: "pruned" }]);
  });

  test("keeps within the budget, the most endangered first", () => {
    const { order, refused } = admit([job(1_000, 10), job(2_000, 10), job(3_000, 10)], means({ budget: 25 }));
    expect(order.map(({ version }) => version)).toEqual([1_000n, 2_000n]);
    expect(refused).toEqual([{ job: job(3_000, 10), why: "budget" }]);
  });

  test("a horizon that nobody can foretell is no reason to refuse", () => {
    const unknown = { ...means(), leftMs: () => undefined };
    expect(admit([job(1, 1e9)], unknown).order).toHaveLength(1);
  });

  const jobs = fc.uniqueArray(fc.record({ version: fc.integer({ min: 1, max: 400 }), requests: fc.integer({ min: 1, max: 120 }) }), {
    selector: ({ version }) => version,
    maxLength: 8,
  });

  test("what is taken on can be done in that order, and no larger set can (safety aside)", () => {
    fc.assert(
      fc.property(jobs, (list) => {
        const wanted = list.map(({ version, requests }) => job(version, requests));
        const { order, refused } = admit(wanted, means());
        expect(new Set([...order, ...refused.map((refusal) => refusal.job)])).toEqual(new Set(wanted));
        expect(isFeasible(order, 1)).toBe(true);
        // Whoever plans with the same safety cannot do more.
        const larger = subsets(wanted).some((subset) => subset.length > order.length && isFeasible(subset, 1.02));
        expect(larger).toBe(false);
      }),
      { numRuns: 300 },
    );
  });
});

function isFeasible(jobs: readonly Job[], safety: number): boolean {
  const byDeadline = [...jobs].sort((a, b) => Number(a.version - b.version));
  const doneBy = (index: number): number => byDeadline.slice(0, index + 1).reduce((sum, { requests }) => sum + requests * safety, 0);
  return byDeadline.every(({ version }, index) => doneBy(index) <= Number(version));
}

function subsets(jobs: readonly Job[]): Job[][] {
  return Array.from({ length: 2 ** jobs.length }, (_, mask) => jobs.filter((_, index) => mask & (1 << index)));
}

describe("nextJob", () => {
  test("begins what no budget suffices for, since another run can finish it", () => {
    expect(nextJob([job(5_000, 100), job(9_000, 100)], means({ budget: 10 }))).toEqual(job(5_000, 100));
  });

  test("leaves alone what would only be half done", () => {
    expect(nextJob([job(50, 100)], means())).toBeUndefined();
  });
});

describe("isHopeless and isUrgent", () => {
  test("tell what cannot be finished from what must begin now", () => {
    expect(isHopeless(job(100, 120), means())).toBe(true);
    expect(isHopeless(job(100, 90), means())).toBe(false);
    expect(isUrgent(job(100, 40), means())).toBe(true);
    expect(isUrgent(job(1_000, 40), means())).toBe(false);
  });

  test("a healthy nightly run is never urgent: a window of a week, an hour's reading", () => {
    const week = 7 * 86_400_000;
    const night: Means = { msPerRequest: 2_500, budget: 1e9, leftMs: () => ({ expected: week, worst: week / 7 }) };
    expect(isUrgent(job(1, 1_440), night)).toBe(false);
  });
});

describe("the order, played through in simulated time", () => {
  test.each(horizons)(
    "saves at least as much as any other where not all can be saved, and wastes least: %s",
    (horizon) => {
      for (const load of [1.25, 2, 4]) {
        const sums = orders.map((order) => {
          const runs = [1, 2].map((seed) => simulate({ order, horizon, load, seed }));
          return {
            saved: runs.reduce((sum, { saved }) => sum + saved, 0),
            halfRead: runs.reduce((sum, { halfRead }) => sum + halfRead, 0),
          };
        });
        const [own, ...others] = sums;
        for (const other of others) expect(own?.saved, `load ${load}`).toBeGreaterThanOrEqual(other.saved);
        expect(own?.halfRead).toBeLessThanOrEqual(Math.min(...others.map(({ halfRead }) => halfRead)) + 1);
      }
    },
    60_000,
  );

  test.each(horizons)("saves all but a hair where all can be saved: %s", (horizon) => {
    expect(simulate({ order: "deadline", horizon, load: 0.65, seed: 5 }).saved).toBeGreaterThanOrEqual(39);
  });
});
