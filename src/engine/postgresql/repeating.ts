import type { Clock } from "../../base/time/clock.ts";
import { isConflict, isDuplicate, isLost } from "./postgresql-errors.ts";

/** How often a transaction is done again because others came between. */
const CONFLICTS = 10;
/** How often when another wrote the same row first: a row that is there already, and no race, is told soon. */
const DUPLICATES = 3;
/** The longest pause before the next try, in milliseconds: after a conflict, and while the server is away. */
const CONFLICT_PAUSE_MS = 500;
const LOST_PAUSE_MS = 3_000;

/** One try of a transaction. `committing` is called right before COMMIT is sent, with the number by which the server knows it. */
export type Try<T> = (committing: (id: string, result: T) => void) => Promise<T>;

export type RepeatOptions = {
  /** Whether a transaction whose COMMIT went unanswered was done. */
  readonly wasCommitted: (id: string) => Promise<boolean>;
  readonly patienceMs: number;
  readonly clock: Pick<Clock, "monotonic" | "sleep">;
  readonly onWait: (reason: unknown) => void;
  /** Ends all waiting. */
  readonly signal: AbortSignal;
};

/**
 * Does a transaction until it is done: again when others came between (40001, 40P01, 23505), and again when the connection was
 * lost, for as long as patience lasts. A COMMIT that went unanswered is asked after, so that nothing is done twice.
 */
export async function repeat<T>(once: Try<T>, { wasCommitted, patienceMs, clock, onWait, signal }: RepeatOptions): Promise<T> {
  let sent: { readonly id: string; readonly result: T } | undefined;
  let lostAt: number | undefined;
  // A time that differs from try to try, so that those who were in each other's way do not meet again.
  const pause = (ms: number): Promise<void> => clock.sleep(ms * (0.5 + Math.random() / 2), signal).catch(() => {});
  for (let tries = 1; ; tries++) {
    try {
      if (sent !== undefined && (await wasCommitted(sent.id))) return sent.result;
      sent = undefined;
      return await once((id, result) => {
        sent = { id, result };
      });
    } catch (error) {
      if ((isConflict(error) && tries <= CONFLICTS) || (isDuplicate(error) && tries <= DUPLICATES)) {
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
