import type { HeadWatch } from "../horizon/head-watch.ts";
import type { Ground } from "./bisect.ts";

/** Where nothing is known of the horizon's speed, this share of the window is kept free above it. */
const MARGIN_SHARE = 200n;

/**
 * Where it is safe to read for the next `needMs` milliseconds: `oldest` is readable now at every node behind the address,
 * `safe` is above what the horizon may reach at worst in that time. Undefined before the first answer.
 */
export function groundFor(watch: HeadWatch, nowMs: number, needMs: number): Ground | undefined {
  const outlook = watch.outlook();
  const head = watch.head;
  if (outlook === undefined || head === undefined) return undefined;
  const { oldest } = outlook;
  const reached = outlook.goneBy(nowMs + needMs)?.worst ?? oldest + (head.ledgerVersion - oldest) / MARGIN_SHARE;
  return { oldest, safe: reached > oldest ? reached + 1n : oldest };
}
