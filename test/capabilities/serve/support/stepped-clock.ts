import type { Clock } from "../../../../src/core/base/time.ts";

/** A clock that stands still. */
export function steppedClock(): Clock & { nowMs: number } {
  const clock = { nowMs: 0, now: () => clock.nowMs, monotonic: () => clock.nowMs, sleep: () => new Promise<void>(() => undefined) };
  return clock;
}
