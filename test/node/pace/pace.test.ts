import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { breakerLimits } from "../../../src/node/pace/breaker.ts";
import { burstOf } from "../../../src/node/pace/token-bucket.ts";
import { errorClasses } from "../../../src/node/protocol/error-classes.ts";
import { expectTurnAfter, paceWith } from "./pace-with.ts";

const policy = errorClasses.rate_limited.retry;
const never = Number.POSITIVE_INFINITY;

describe("Pace", () => {
  test("without a limit a turn comes at once and costs no promise", () => {
    const { pace } = paceWith(0);
    for (let count = 0; count < 1000; count++) expect(pace.turn(never, undefined)).toBeUndefined();
    expect(pace.now()).toEqual({ perSecond: null, pausedMs: 0 });
  });

  test("turns come in the order they were asked for, no faster than the rate", async () => {
    const { pace, clock } = paceWith(10);
    const start = clock.monotonic();
    const turns: { index: number; atMs: number }[] = [];
    const all = Array.from({ length: 30 }, async (_, index) => {
      await pace.turn(never, undefined);
      turns.push({ index, atMs: clock.monotonic() - start });
    });
    for (let tick = 0; tick < 40; tick++) await clock.advance(100);
    await Promise.all(all);
    expect(turns.map(({ index }) => index)).toEqual([...Array(30).keys()]);
    for (const { index, atMs } of turns) expect(index + 1).toBeLessThanOrEqual((atMs / 1000) * 10 + burstOf(10) + 1e-6);
    expect(turns.at(-1)?.atMs).toBeLessThanOrEqual(3100);
  });

  test("a storm of complaints pauses all once, and no turn comes during the pause", async () => {
    const { pace, clock } = paceWith(100);
    const sentAt = clock.monotonic();
    for (let count = 0; count < 64; count++) pace.complained(sentAt, policy, undefined);
    const { pausedMs, perSecond } = pace.now();
    expect(perSecond).toBe(50);
    expect(pausedMs).toBeGreaterThanOrEqual(policy.shortestMs);
    expect(pausedMs).toBeLessThanOrEqual(policy.firstMs);
    await expectTurnAfter(pausedMs, { pace, clock });
  });

  test.each([
    ["a wait of nothing is not believed", undefined, policy.shortestMs],
    ["seconds are kept", 42_000, 42_000],
    ["a day is cut", 86_400_000, policy.longestMs],
  ])("Retry-After: %s", (_, asked, expected) => {
    const { pace, clock } = paceWith(100, 0);
    pace.complained(clock.monotonic(), policy, asked);
    expect(pace.now().pausedMs).toBe(expected);
  });

  test("complaints after each pause wait longer each time, until an answer comes", async () => {
    const { pace, clock } = paceWith(0, 0.999_999);
    const pauses: number[] = [];
    for (let count = 0; count < 8; count++) {
      pace.complained(clock.monotonic(), policy, undefined);
      pauses.push(Math.round(pace.now().pausedMs / 1000));
      await clock.advance(pace.now().pausedMs);
    }
    expect(pauses).toEqual([5, 10, 20, 40, 80, 160, 300, 300]);
    pace.answered(clock.monotonic());
    pace.complained(clock.monotonic() + 1, policy, undefined);
    expect(Math.round(pace.now().pausedMs / 1000)).toBe(5);
  });

  test("says how long all wait and how fast it goes on, once a minute", async () => {
    const { pace, clock, told } = paceWith(4, 0);
    for (let count = 0; count < 8; count++) {
      pace.complained(clock.monotonic(), policy, 12_000);
      await clock.advance(20_000);
    }
    expect(told).toHaveLength(3);
    expect(told[0]).toBe("The node wants fewer requests: all wait 12 s, then go on with at most 2.0 requests a second for now");
    for (const text of told) expect(text).toMatch(/all wait 12 s, then go on with at most \d\.\d requests a second for now$/);
  });

  test("an answer to a request from before a pause does not make the next pause shorter", async () => {
    const { pace, clock } = paceWith(0, 0.999_999);
    const before = clock.monotonic();
    pace.complained(before, policy, undefined);
    pace.answered(before);
    await clock.advance(pace.now().pausedMs);
    pace.complained(clock.monotonic(), policy, undefined);
    expect(Math.round(pace.now().pausedMs / 1000)).toBe(10);
  });

  test("without a limit a complaint leaves half of what was sent lately", async () => {
    const { pace, clock } = paceWith(0);
    for (let second = 0; second < 11; second++) {
      for (let count = 0; count < 30; count++) expect(pace.turn(never, undefined)).toBeUndefined();
      await clock.advance(1000);
    }
    pace.complained(clock.monotonic(), policy, 1000);
    expect(pace.now().perSecond).toBeCloseTo(15, 0);
    const early = paceWith(0);
    for (let count = 0; count < 8; count++) void early.pace.turn(never, undefined);
    early.pace.complained(early.clock.monotonic(), policy, 1000);
    expect(early.pace.now().perSecond).toBe(4);
  });

  test("a quota that is used up pauses all once, and ends with its window", async () => {
    const { pace, clock, told } = paceWith(0, 0);
    pace.quota({ remaining: 10, resetMs: 20_000 });
    expect(pace.now()).toEqual({ perSecond: 0.5, pausedMs: 0 });
    pace.quota({ remaining: 0, resetMs: 20_000 });
    pace.quota({ remaining: 0, resetMs: 20_000 });
    expect(told).toEqual(["The node says that its limit is used up: all wait 20 s"]);
    await expectTurnAfter(20_000, { pace, clock });
    expect(pace.now()).toEqual({ perSecond: null, pausedMs: 0 });
  });

  test("a node that seems to be down is said once, and a probe that we give up ourselves lets the next one go", async () => {
    const { pace, clock, told } = paceWith(0, 0);
    const down = Array.from({ length: breakerLimits.failures + 2 }, () => pace.failed("/a", "down"));
    expect(down.map(Number)).toEqual([...Array(breakerLimits.failures - 1).fill(0), 1, 1, 1]);
    expect(told).toEqual(["The node seems to be down; waiting until it answers again"]);
    const first = Promise.resolve(pace.turn(never, undefined));
    await clock.advance(breakerLimits.firstRestMs);
    await first;
    expect(pace.isProbing()).toBe(true);
    const second = Promise.resolve(pace.turn(never, undefined));
    pace.abandoned();
    await clock.advance(1);
    await second;
    pace.answered(clock.monotonic());
    expect([pace.isProbing(), pace.turn(never, undefined)]).toEqual([false, undefined]);
  });

  test("closing rejects all who wait", async () => {
    const { pace, clock } = paceWith(100);
    pace.complained(clock.monotonic(), policy, 10_000);
    const turn = expect(pace.turn(never, undefined)).rejects.toThrow("closed");
    pace.close(new Error("closed"));
    await turn;
  });

  test("when the node is given up, all who wait are told", async () => {
    const { pace, clock } = paceWith(0);
    for (let count = 0; count < breakerLimits.failures; count++) pace.failed("/a", "down");
    const ending = expect(Promise.all([pace.turn(never, undefined), pace.turn(never, undefined)])).rejects.toMatchObject({
      kind: "node_down",
    });
    // The first waiter is the probe; its failure past the limit sends the other away.
    await clock.advance(breakerLimits.giveUpUnseenMs);
    pace.failed("/a", "down");
    await clock.advance(1);
    await ending;
  });

  test("whatever the node answers and whoever aborts, every wait ends", async () => {
    const step = fc.record({
      action: fc.constantFrom("turn", "turn", "turn", "abortable", "abort", "complain", "answer", "down", "suspect", "abandon"),
      gapMs: fc.integer({ min: 0, max: 20_000 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(0, 0.5, 20), fc.array(step, { maxLength: 40 }), async (rate, steps) => {
        const { pace, clock } = paceWith(rate);
        const turns: Promise<unknown>[] = [];
        let abort = new AbortController();
        for (const { action, gapMs } of steps) {
          if (action === "turn") turns.push(Promise.resolve(pace.turn(clock.monotonic() + 600_000, undefined)).catch(() => {}));
          if (action === "abortable") turns.push(Promise.resolve(pace.turn(clock.monotonic() + 600_000, abort.signal)).catch(() => {}));
          if (action === "abort") {
            abort.abort(new Error("enough"));
            abort = new AbortController();
          }
          if (action === "complain") pace.complained(clock.monotonic(), policy, undefined);
          if (action === "answer") pace.answered(clock.monotonic());
          if (action === "down" || action === "suspect") pace.failed(`/${gapMs % 2}`, action);
          if (action === "abandon") pace.abandoned();
          await clock.advance(gapMs);
        }
        let isOver = false;
        const all = Promise.all(turns).then(() => {
          isOver = true;
        });
        // Whoever had a turn says what came of it, here for as long as someone waits.
        for (let seconds = 0; seconds < 700 && !isOver; seconds++) {
          pace.abandoned();
          await clock.advance(1000);
        }
        await all;
        expect(clock.waiting).toBe(0);
      }),
      { numRuns: 60 },
    );
  });
});
