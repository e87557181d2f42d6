import { expect, test } from "vitest";
import { defaultMaxAgeMs, UNKNOWN_MAX_AGE_MS } from "../../../src/capabilities/cadence/chosen-targets.ts";
import { forecastHorizon } from "../../../src/capabilities/horizon/horizon-forecast.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** Versions an hour: 160 a second. */
const PACE = 576_000;
const START = 5_000_000_000;

/** What a node said at hours, whose window is of so many days. */
function saidAt(hours: readonly number[], windowDays: number) {
  const samples = hours.map((hour) => ({
    sampledAt: hour * HOUR,
    headVersion: BigInt(START + hour * PACE),
    oldestVersion: BigInt(START + hour * PACE - windowDays * 24 * PACE),
  }));
  return forecastHorizon("node", samples);
}

const hours = Array.from({ length: 72 }, (_, hour) => hour);

test("a target is read before three quarters of the horizon's window have passed, so that a change can still be traced", () => {
  const age = defaultMaxAgeMs(saidAt(hours, 7), 71 * HOUR);
  expect(age / DAY).toBeCloseTo(0.75 * 7, 0);
  expect(age).toBeLessThan(7 * DAY);
  const shorter = defaultMaxAgeMs(saidAt(hours, 2), 71 * HOUR);
  expect(shorter).toBeLessThan(2 * DAY);
  expect(shorter).toBeLessThan(age);
});

test("within thirty days where the window is longer, and within five while it is not known", () => {
  expect(defaultMaxAgeMs(saidAt(hours, 300), 71 * HOUR)).toBe(30 * DAY);
  expect(defaultMaxAgeMs(saidAt([0], 7), 0)).toBe(UNKNOWN_MAX_AGE_MS);
});
