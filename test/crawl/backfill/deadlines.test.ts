import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { admit, delaysNoOther, isUrgent, type Job, type Means, nextJob, shouldGiveUp } from "../../../src/crawl/backfill/deadlines.ts";
import { orders, simulate } from "../../bench/backfill/orders.ts";
import { makeWorld, mostThatCanBeSaved, REQUESTS, WANTED, worlds } from "../../bench/backfill/world.ts";
import { sized } from "../../run-size.ts";

/** One version dies every millisecond, from version 1 on; a request takes a millisecond. */
function means(budget = Number.POSITIVE_INFINITY): Means {
  return { msPerRequest: 1, budget, leftMs: (version) => ({ expected: Number(version), worst: Number(version) / 2 }) };
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
    const { order, refused } = admit([job(1_000, 10), job(2_000, 10), job(3_000, 10)], means(25));
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
    expect(nextJob([job(5_000, 100), job(9_000, 100)], means(10))).toEqual(job(5_000, 100));
  });

  test("leaves alone what would only be half done", () => {
    expect(nextJob([job(50, 100)], means())).toBeUndefined();
  });
});

describe("delaysNoOther", () => {
  test("tells whether a job can be done before its turn", () => {
    const [first, last] = [job(210, 100), job(400, 100)];
    expect(delaysNoOther(last, [first, last], means())).toBe(true);
    expect(delaysNoOther(last, [job(150, 100), last], means())).toBe(false);
    expect(delaysNoOther(last, [first, job(300, 100), last], means())).toBe(false);
  });
});

describe("shouldGiveUp and isUrgent", () => {
  test("leave what cannot be finished, but only where others gain by it", () => {
    expect(shouldGiveUp(job(100, 120), [job(150, 100)], means())).toBe(true);
    expect(shouldGiveUp(job(100, 120), [job(500, 100)], means())).toBe(false);
    expect(shouldGiveUp(job(100, 120), [], means())).toBe(false);
    expect(shouldGiveUp(job(100, 90), [job(150, 100)], means())).toBe(false);
  });

  test("tell what has to begin now", () => {
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
  const loads = sized([0.65, 1, 1.25, 4], [0.65, 0.8, 0.9, 1, 1.1, 1.25, 2, 4]);
  const seedsOf = (world: (typeof worlds)[number]): number[] => (world === "leaps" ? sized([1], [1, 2, 3]) : [1]);
  const runs = (["steady", "batches", "leaps"] as const).flatMap((world) =>
    loads.flatMap((load) => seedsOf(world).map((seed) => [world, load, seed] as const)),
  );

  test.each(runs)("saves as much as any other and begins nothing in vain: %s horizon, load %s, seed %s", (world, load, seed) => {
    const [own, ...others] = orders.map((order) => simulate({ order, world, load, seed }));
    if (own === undefined) throw new Error("no order");
    const node = makeWorld(world, load, seed);
    for (const other of others) {
      expect(own.saved.length).toBeGreaterThanOrEqual(other.saved.length);
      // Whoever saved what was left half read here saved less in all.
      const sealed = new Set(other.saved);
      if (own.halfRead.some(({ version }) => sealed.has(version))) expect(own.saved.length).toBeGreaterThan(other.saved.length);
    }
    // No more than the margin is lost against somebody who knows every leap beforehand; without leaps, one snapshot of forty.
    expect(own.saved.length).toBeGreaterThanOrEqual(mostThatCanBeSaved(node) - (world === "leaps" ? 2 : 1));
    for (const { version, begunMs, leftMs, requestsLeft } of own.halfRead) {
      // It could have been finished but for a leap that came while it was read, or the try cost nothing, and it is left only
      // when nobody could finish it any more.
      expect(world).toBe("leaps");
      const hasLeapt = node.deathOf(version) < node.deathOf(version, begunMs);
      expect(hasLeapt || begunMs + REQUESTS * node.msPerRequest <= node.deathOf(version, begunMs)).toBe(true);
      expect(leftMs + requestsLeft * node.msPerRequest).toBeGreaterThanOrEqual(node.deathOf(version, leftMs));
    }
  });

  test("saves as much as any other where answers come unevenly, seeds taken together", () => {
    for (const load of sized([1.1], [1.1, 2])) {
      const [own, ...others] = orders.map((order) =>
        [1, 2, 3, 4].reduce((sum, seed) => sum + simulate({ order, world: "uneven", load, seed }).saved.length, 0),
      );
      expect(own).toBeGreaterThanOrEqual(Math.max(...others));
    }
  });

  test("saves everything where all can be saved", () => {
    for (const world of worlds) expect(simulate({ order: "deadline", world, load: 0.65, seed: 5 }).saved).toHaveLength(WANTED);
  });
});
