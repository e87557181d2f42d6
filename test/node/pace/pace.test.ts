import { getEventListeners } from "node:events";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { breakerLimits } from "../../../src/core/node/pace/limits.ts";
import { openPace, type Pace } from "../../../src/core/node/pace/pace.ts";
import { errorClasses } from "../../../src/core/node/protocol/error-classes.ts";
import { AnswerFault } from "../../../src/core/node/protocol/node-error.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { holdsFor } from "../../support/property/law.ts";

const policy = errorClasses.rate_limited.retry;
const never = Number.POSITIVE_INFINITY;
const down = { path: "/a", sentAtMs: 0, fault: new AnswerFault("unreachable", "ECONNREFUSED"), said: "refused" };
const complaint = (sentAtMs: number, retryAfterMs?: number) => ({
  path: "/a",
  sentAtMs,
  fault: new AnswerFault("rate_limited", "", { retryAfterMs }),
  said: "status 401",
});

/** A pace on a clock of its own, and what it logged in words. */
function paceWith(perSecond: number, random = 0.5) {
  const clock = new ManualClock();
  const logged: string[] = [];
  const pace = openPace({ perSecond, clock, random: () => random, log: (_, text) => logged.push(text), breaker: breakerLimits });
  return { pace, clock, logged };
}

/** A probe that nobody expects. */
const noProbe = (): Promise<void> => Promise.reject(new Error("a probe was sent"));

/** Makes sure that the next turn comes after so many milliseconds, and not before. */
async function expectTurnAfter(ms: number, { pace, clock }: { readonly pace: Pace; readonly clock: ManualClock }): Promise<void> {
  let isOut = false;
  const turn = pace.turn(Number.POSITIVE_INFINITY, undefined, noProbe).then(() => {
    isOut = true;
  });
  await clock.advance(ms - 1);
  expect(isOut).toBe(false);
  await clock.advance(2);
  await turn;
}

describe("Pace", () => {
  test("a storm of complaints pauses all once, and no turn comes during the pause", async () => {
    const { pace, clock } = paceWith(100);
    const sentAt = clock.monotonic();
    for (let count = 0; count < 64; count++) pace.complained(complaint(sentAt), policy);
    const { pausedMs, perSecond } = pace.now();
    expect(perSecond).toBe(50);
    expect(pausedMs).toBeGreaterThanOrEqual(policy.shortestMs);
    expect(pausedMs).toBeLessThanOrEqual(policy.firstMs);
    await expectTurnAfter(pausedMs, { pace, clock });
  });

  test("complaints after each pause wait longer each time, until an answer comes", async () => {
    const { pace, clock } = paceWith(0, 0.999_999);
    const pauses: number[] = [];
    for (let count = 0; count < 8; count++) {
      pace.complained(complaint(clock.monotonic()), policy);
      pauses.push(Math.round(pace.now().pausedMs / 1000));
      await clock.advance(pace.now().pausedMs);
    }
    expect(pauses).toEqual([5, 10, 20, 40, 80, 160, 300, 300]);
    pace.answered(clock.monotonic());
    pace.complained(complaint(clock.monotonic() + 1), policy);
    expect(Math.round(pace.now().pausedMs / 1000)).toBe(5);
  });

  test("says how long all wait and how fast it goes on, once a minute", async () => {
    const { pace, clock, logged } = paceWith(4, 0);
    for (let count = 0; count < 8; count++) {
      pace.complained(complaint(clock.monotonic(), 12_000), policy);
      await clock.advance(20_000);
    }
    expect(logged).toHaveLength(3);
    expect(logged[0]).toBe("All requests wait 12 s, then go on with at most 2.0 requests a second for now: status 401");
    for (const text of logged) expect(text).toMatch(/wait 12 s, then go on with at most \d\.\d requests a second for now: status 401$/);
  });

  test("a node that seems to be down is said once, and one probe after each rest goes out for all who wait", async () => {
    const { pace, clock, logged } = paceWith(0, 0);
    const seen = Array.from({ length: breakerLimits.failures + 2 }, () => {
      pace.failed(down, "down");
      return pace.isDown();
    });
    expect(seen.map(Number)).toEqual([...Array(breakerLimits.failures - 1).fill(0), 1, 1, 1]);
    expect(logged).toEqual(["The node seems to be down; waiting for up to 10 s until it answers (refused)"]);
    const probes: number[] = [];
    const probe = async (): Promise<void> => {
      probes.push(clock.monotonic() - start);
      if (probes.length < 3) pace.failed(down, "down");
      else pace.answered(clock.monotonic());
    };
    const start = clock.monotonic();
    const turns = Promise.all([1, 2, 3].map(() => pace.turn(never, undefined, probe)));
    await clock.advance(10_000);
    await turns;
    expect(probes).toEqual([1000, 3000, 7000]);
    expect(pace.isDown()).toBe(false);
    await pace.turn(never, undefined, noProbe);
  });

  test("a probe that is aborted lets the next in the queue send another", async () => {
    const { pace, clock } = paceWith(0, 0);
    for (let count = 0; count < breakerLimits.failures; count++) pace.failed(down, "down");
    const abort = new AbortController();
    const aborted = pace.turn(never, abort.signal, () => new Promise(() => undefined));
    const next = pace.turn(never, undefined, async () => pace.answered(clock.monotonic()));
    await clock.advance(breakerLimits.firstRestMs);
    const ending = expect(aborted).rejects.toThrow("enough");
    abort.abort(new Error("enough"));
    await ending;
    await clock.advance(0);
    await next;
  });

  test("an abort ends the wait at once, leaves the others their places, and no listener or timer behind", async () => {
    const { pace, clock } = paceWith(1);
    await pace.turn(never, undefined, noProbe);
    const { signal } = new AbortController();
    for (const place of [0, 1]) {
      const abort = new AbortController();
      const turns = [0, 1].map((index) => pace.turn(never, index === place ? abort.signal : signal, noProbe));
      const ending = expect(turns[place]).rejects.toThrow("enough");
      abort.abort(new Error("enough"));
      await ending;
      await clock.advance(1000);
      await turns[1 - place];
      await expect(pace.turn(never, abort.signal, noProbe)).rejects.toThrow("enough");
    }
    expect([getEventListeners(signal, "abort"), clock.waiting]).toEqual([[], 0]);
  });

  test("when the node is given up, all who wait are told why", async () => {
    const { pace, clock } = paceWith(0);
    for (let count = 0; count < breakerLimits.failures; count++) pace.failed(down, "down");
    const probe = async (): Promise<void> => pace.failed(down, "down");
    const turns = [1, 2].map(() => expect(pace.turn(never, undefined, probe)).rejects.toMatchObject({ kind: "node_down" }));
    await clock.advance(2 * breakerLimits.giveUpUnseenMs);
    await Promise.all(turns);
    await expect(pace.turn(never, undefined, probe)).rejects.toThrow(/^no answer for \d+ s; last: refused$/);
  });

  test("whatever the node answers and whoever aborts, every wait ends and the rate is never exceeded", async () => {
    const step = fc.record({
      action: fc.constantFrom("turn", "turn", "turn", "abortable", "abort", "complain", "answer", "down", "suspect"),
      gapMs: fc.integer({ min: 0, max: 20_000 }),
    });
    await holdsFor(100, [fc.constantFrom(0, 0.5, 20), fc.array(step, { maxLength: 40 })], async (rate, steps) => {
      const { pace, clock } = paceWith(rate);
      const turns: Promise<unknown>[] = [];
      let abort = new AbortController();
      // Of every third probe nothing is heard.
      let probes = 0;
      const sentMs: number[] = [];
      const probe = async (): Promise<void> => {
        sentMs.push(clock.monotonic());
        probes += 1;
        if (probes % 3 === 1) pace.failed(down, "down");
        if (probes % 3 === 2) pace.answered(clock.monotonic());
      };
      const turn = async (signal: AbortSignal | undefined): Promise<void> => {
        try {
          await pace.turn(clock.monotonic() + 600_000, signal, probe);
          sentMs.push(clock.monotonic());
        } catch {}
      };
      for (const { action, gapMs } of steps) {
        if (action === "turn") turns.push(turn(undefined));
        if (action === "abortable") turns.push(turn(abort.signal));
        if (action === "abort") {
          abort.abort(new Error("enough"));
          abort = new AbortController();
        }
        if (action === "complain") pace.complained(complaint(clock.monotonic()), policy);
        if (action === "answer") pace.answered(clock.monotonic());
        if (action === "down" || action === "suspect") pace.failed({ ...down, path: `/${gapMs % 2}` }, action);
        // Turns that come at once are taken before time goes on.
        await clock.advance(0);
        await clock.advance(gapMs);
      }
      let isOver = false;
      const all = Promise.all(turns).then(() => {
        isOver = true;
      });
      for (let seconds = 0; seconds < 700 && !isOver; seconds++) await clock.advance(1000);
      await all;
      expect(clock.waiting).toBe(0);
      for (const [index, from] of sentMs.entries())
        for (const [count, to] of rate === 0 ? [] : sentMs.slice(index).entries())
          expect(count).toBeLessThanOrEqual((rate * (to - from)) / 1000 + 1e-6);
    });
  });
});
