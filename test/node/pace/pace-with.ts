import { expect } from "vitest";
import { breakerLimits } from "../../../src/node/pace/limits.ts";
import { openPace, type Pace } from "../../../src/node/pace/pace.ts";
import { ManualClock } from "../../support/manual-clock.ts";

/** A pace on a clock of its own, and what it logged in words. */
export function paceWith(perSecond: number, random = 0.5) {
  const clock = new ManualClock();
  const logged: string[] = [];
  const pace = openPace({ perSecond, clock, random: () => random, log: (_, text) => logged.push(text), breaker: breakerLimits });
  return { pace, clock, logged };
}

/** A probe that nobody expects. */
export const noProbe = (): Promise<void> => Promise.reject(new Error("a probe was sent"));

/** Makes sure that the next turn comes after so many milliseconds, and not before. */
export async function expectTurnAfter(ms: number, { pace, clock }: { readonly pace: Pace; readonly clock: ManualClock }): Promise<void> {
  let isOut = false;
  const turn = Promise.resolve(pace.turn(Number.POSITIVE_INFINITY, undefined, noProbe)).then(() => {
    isOut = true;
  });
  await clock.advance(ms - 1);
  expect(isOut).toBe(false);
  await clock.advance(2);
  await turn;
}
