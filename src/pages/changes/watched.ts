import type { ModuleChange, VersionRange } from "../../archive/read/changes.ts";
import type { AlertStore } from "../../work/alerts/deliveries.ts";
import type { WeighedChange } from "./entries.ts";

/** Alerts of one night that are looked up; what is beyond is shown as if nobody watched it. */
const ALERTS_MAX = 10_000;

/** Marks the changes that are alerts of something watched with what is watched there. */
export async function withAlerts<T extends WeighedChange>(store: AlertStore, stretch: VersionRange, changes: readonly T[]): Promise<T[]> {
  if (changes.length === 0) return [];
  const alerts = Map.groupBy(await store.listAlerts({ ...stretch, judgedSince: null }, ALERTS_MAX), nameOf);
  return changes.map((each) => {
    const found = alerts.get(nameOf(each.change));
    return found === undefined ? each : { ...each, watched: [...new Set(found.map(({ watch }) => watch.subject))] };
  });
}

function nameOf({
  address,
  module,
  from,
  to,
  atOrBeforeVersion,
}: Pick<ModuleChange, "address" | "module" | "from" | "to" | "atOrBeforeVersion">): string {
  return `${address} ${module} ${from} ${to} ${atOrBeforeVersion}`;
}
