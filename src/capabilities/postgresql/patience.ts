import { type Clock, formatDuration, systemClock } from "../../core/base/time.ts";
import type { WhenBusy } from "../../core/db/engine/database.ts";
import { failureCode, type Hindrance, hindranceOf } from "./postgresql-errors.ts";

export type PatienceOptions = {
  /** How long to wait for a server that went away in the midst of work, as in a restart. Default 0: not at all. */
  readonly patienceMs?: number;
  /** Ends that waiting, and how many milliseconds until then. */
  readonly ending?: AbortSignal | undefined;
  readonly leftMs?: (() => number) | undefined;
  /** By which that is waited. Default: the machine's. */
  readonly clock?: Pick<Clock, "monotonic" | "sleep">;
  /** Hears, in a sentence, that the server is waited for, and once that its sessions keep no statements. */
  readonly onNotice?: ((sentence: string) => void) | undefined;
  readonly whenBusy?: WhenBusy | undefined;
};

/** How often work is done again at once. A row that is there already, and no race, is told soon. */
const TRIES: Partial<Record<Hindrance, number>> = { conflict: 10, unnamed: 10, stale: 10, duplicate: 3 };
/** The longest pause before the next try, in milliseconds: after these, and while the server is away. */
const CONFLICT_PAUSE_MS = 500;
const LOST_PAUSE_MS = 3_000;
/** How often a lost connection is made anew at once where nothing is waited for any longer. */
const LAST_TRIES = 3;

/**
 * Does a piece of work until it is done: again when others came between, and again when the connection was lost, for as long as patience
 * lasts. A transaction whose COMMIT went unanswered may have been done, and is done again: what it writes comes to the same. `closing`
 * ends all waiting.
 */
export function repeating(label: string, lockTimeoutMs: number | undefined, closing: AbortSignal, options: PatienceOptions) {
  const { patienceMs = 0, ending, leftMs = () => patienceMs, clock = systemClock, onNotice = () => {}, whenBusy } = options;
  const signal = ending === undefined ? closing : AbortSignal.any([closing, ending]);
  // A time that differs from try to try, so that those who were in each other's way do not meet again.
  const pause = (ms: number, end: AbortSignal): Promise<void> => clock.sleep(ms * (0.5 + Math.random() / 2), end).catch(() => {});
  /** Since when the server has answered nothing: all share one patience, and what comes after it waits no more. */
  let awaySince: number | undefined;
  // Those that wait for a lock at the same time wait together.
  let waiting: Promise<boolean> | undefined;
  const mayTryAgain = async (): Promise<boolean> => {
    waiting ??= whenBusy?.(lockTimeoutMs).finally(() => {
      waiting = undefined;
    });
    return (await waiting) ?? false;
  };

  return async <T>(once: () => Promise<T>): Promise<T> => {
    let lostAt: number | undefined;
    for (let tries = 1; ; tries++) {
      try {
        const done = await once();
        awaySince = undefined;
        return done;
      } catch (error) {
        if (closing.aborted) throw error;
        const hindrance = hindranceOf(error);
        if (hindrance === "lost" && patienceMs > 0) {
          const now = clock.monotonic();
          // However many wait, it is said once for each time that the server is away.
          if (awaySince === undefined)
            onNotice(
              `the database \`${label}\` does not answer (${failureCode(error) ?? "cut off"}); waiting for it for up to ${formatDuration(Math.min(patienceMs, leftMs()))}, then going on`,
            );
          awaySince ??= now;
          lostAt ??= now;
          if (now - Math.min(lostAt, awaySince) > patienceMs || (signal.aborted && tries > LAST_TRIES)) throw error;
          await pause(Math.min(50 * 2 ** tries, LOST_PAUSE_MS), signal);
        } else if (hindrance !== undefined && tries <= (TRIES[hindrance] ?? 0)) {
          await pause(Math.min(10 * 2 ** tries, CONFLICT_PAUSE_MS), closing);
        } else if (hindrance !== "locked" || !(await mayTryAgain())) {
          throw error;
        }
        if (closing.aborted) throw error;
      }
    }
  };
}
