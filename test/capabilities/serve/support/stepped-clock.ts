import type { Clock } from "../../../../src/core/base/time.ts";

/** A clock that stands still, and whose sleeps end when the test says so. */
export function steppedClock(): Clock & { nowMs: number; readonly endSleeps: () => void } {
  let endings: (() => void)[] = [];
  const clock = {
    nowMs: 0,
    now: () => clock.nowMs,
    monotonic: () => clock.nowMs,
    sleep: () => new Promise<void>((resolve) => endings.push(resolve)),
    endSleeps: () => {
      for (const end of endings) end();
      endings = [];
    },
  };
  return clock;
}
