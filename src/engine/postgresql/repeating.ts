import type { Clock } from "../../base/time.ts";
import { isConflict, isDuplicate, isLost, isStale } from "./postgresql-errors.ts";

/** How often a transaction is done again because others came between, or a session knew a statement no more or in an older form. */
const CONFLICTS = 10;
/** How often when another wrote the same row first: a row that is there already, and no race, is told soon. */
const DUPLICATES = 3;
/** The longest pause before the next try, in milliseconds: after a conflict, and while the server is away. */
const CONFLICT_PAUSE_MS = 500;
const LOST_PAUSE_MS = 3_000;

export type RepeatOptions = {
  readonly patienceMs: number;
  readonly clock: Pick<Clock, "monotonic" | "sleep">;
  readonly onWait: (reason: unknown) => void;
  /** Ends all waiting. */
  readonly signal: AbortSignal;
};

/**
 * Does a transaction until it is done: again when others came between (40001, 40P01, 23505), and again when the connection was lost, for
 * as long as patience lasts. One whose COMMIT went unanswered may have been done, and is done again: what it writes comes to the same.
 */
export async function repeat<T>(once: () => Promise<T>, { patienceMs, clock, onWait, signal }: RepeatOptions): Promise<T> {
  let lostAt: number | undefined;
  // A time that differs from try to try, so that those who were in each other's way do not meet again.
  const pause = (ms: number): Promise<void> => clock.sleep(ms * (0.5 + Math.random() / 2), signal).catch(() => {});
  for (let tries = 1; ; tries++) {
    try {
      return await once();
    } catch (error) {
      if (((isConflict(error) || isStale(error)) && tries <= CONFLICTS) || (isDuplicate(error) && tries <= DUPLICATES)) {
        await pause(Math.min(10 * 2 ** tries, CONFLICT_PAUSE_MS));
      } else if (isLost(error) && patienceMs > 0) {
        if (lostAt === undefined) onWait(error);
        lostAt ??= clock.monotonic();
        if (clock.monotonic() - lostAt > patienceMs) throw error;
        await pause(Math.min(50 * 2 ** tries, LOST_PAUSE_MS));
      } else {
        throw error;
      }
      if (signal.aborted) throw error;
    }
  }
}
