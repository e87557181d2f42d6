import type { HeadWatch } from "../horizon/head-watch.ts";
import type { ReadableRange } from "./bisect.ts";

/** While the horizon's speed is unknown, this fraction of the window above it is taken to be unsafe. */
const MARGIN_SHARE = 200n;

/**
 * The versions that can be read for the next `needMs` milliseconds: `oldest` is readable now at every node of the address, `newest` is the head of the latest answer,
 * `safe` is above what the horizon reaches in that time at worst. Undefined before the first answer.
 */
export function readableRange(watch: HeadWatch, nowMs: number, needMs: number): ReadableRange | undefined {
  const forecast = watch.forecast();
  const head = watch.head;
  if (forecast === undefined || head === undefined) return undefined;
  const { oldest } = forecast;
  const reached = forecast.goneBy(nowMs + needMs)?.worst ?? oldest + (head.ledgerVersion - oldest) / MARGIN_SHARE;
  return { oldest, newest: head.ledgerVersion, safe: reached > oldest ? reached + 1n : oldest };
}
