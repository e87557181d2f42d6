import { NumberSet } from "../../base/number-set.ts";
import type { Store } from "../../work/store.ts";
import type { TargetHistory } from "../../work/targets/target-histories.ts";
import { DAY_MS, type TimeOf } from "./target-beliefs.ts";

/** An account that had no module whenever it was looked at, for this long, is parked. */
const PARKED_AFTER_MS = 7 * DAY_MS;

/** The rows of the accounts that are parked: a night that cannot read everybody looks at them last. */
export async function parkedTargets(store: Pick<Store, "targetHistories">, timeOf: TimeOf): Promise<NumberSet> {
  const parked = new NumberSet();
  for await (const page of store.targetHistories()) {
    for (const target of page) if (isParked(target, timeOf)) parked.add(Number(target.account));
  }
  return parked;
}

export function isParked({ hadModules, covered }: Pick<TargetHistory, "hadModules" | "covered">, timeOf: TimeOf): boolean {
  return !hadModules && covered !== undefined && timeOf(covered.newest) - timeOf(covered.first) >= PARKED_AFTER_MS;
}
