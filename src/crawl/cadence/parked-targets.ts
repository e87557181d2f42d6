import type { TargetHistory } from "../../work/targets/target-histories.ts";
import { DAY_MS, type TimeOf } from "./target-beliefs.ts";

/** An account that had no module whenever it was looked at, for this long, is parked. */
const PARKED_AFTER_MS = 7 * DAY_MS;

/** Whether a night that cannot read everybody looks at the account last. */
export function isParked({ hadModules, covered }: Pick<TargetHistory, "hadModules" | "covered">, timeOf: TimeOf): boolean {
  return !hadModules && covered !== undefined && timeOf(covered.newest) - timeOf(covered.first) >= PARKED_AFTER_MS;
}
