import type { Log } from "../../base/log.ts";
import type { Clock } from "../../base/time/clock.ts";
import type { WhenBusy } from "../../engine/database.ts";
import type { Stop } from "./stop.ts";

const TRY_EVERY_MS = 500;

/** A run without an end of its own waits for as long: what locks a database for an hour hangs. */
const LONGEST_MS = 3_600_000;

/** Waits for a lock that another program has on the database until the run's time is over, which is said once. */
export function waitWhenBusy(clock: Clock, log: Log, stop?: Stop): WhenBusy {
  let waitedMs = 0;
  return async () => {
    if (waitedMs === 0) log("warn", "another program has locked the database; waiting for it until the time of this run is over");
    waitedMs += TRY_EVERY_MS;
    try {
      await clock.sleep(TRY_EVERY_MS, stop?.signal);
      return waitedMs < LONGEST_MS;
    } catch (error) {
      if (stop?.isTimeOver(error)) return false;
      throw error;
    }
  };
}
