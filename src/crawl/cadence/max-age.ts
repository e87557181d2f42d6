import type { HorizonForecast } from "../horizon/horizon-forecast.ts";
import { DAY_MS } from "./target-beliefs.ts";

/** The share of the node's window in which every target is read. The rest of the window is for tracing changes. */
const WINDOW_SHARE = 0.75;
/** Where the window is not known yet. Public networks' windows are a week or longer. */
export const UNKNOWN_MAX_AGE_MS = 5 * DAY_MS;
/** Where nothing is pruned, or late. */
const LONGEST_MS = 30 * DAY_MS;

/** The age at which a target is read whatever its rate, unless one is asked for: so that a change that is seen late can still be traced. */
export function defaultMaxAgeMs(forecast: HorizonForecast, nowMs: number): number {
  const window = forecast.leftMs(forecast.latest.headVersion, nowMs)?.expected;
  return window === undefined ? UNKNOWN_MAX_AGE_MS : Math.min(LONGEST_MS, window * WINDOW_SHARE);
}
