import { type OpenChange, probeQueries } from "../../archive/nodes/probes.ts";
import type { Engine } from "../../engine/engine.ts";
import { deliveryQueries, type InexactAlert } from "../../work/alerts/deliveries.ts";
import type { PlannedGroup } from "../../work/trace/trace-groups.ts";
import type { Search } from "../../work/trace/traced-change.ts";
import type { TraceRequest } from "../../work/trace/traces.ts";
import { leastProbes } from "./bisect.ts";

/** Probes may show further changes between the same snapshots; these are traced in rounds of their own, at most this many. */
export const ROUNDS = 8;

/** The changes that are wanted and not exact as groups of searches, in the order in which they are made; none that `isTried` knows. */
export async function planSearches(
  engine: Engine,
  request: TraceRequest,
  isTried: (change: OpenChange) => boolean,
): Promise<PlannedGroup[]> {
  const rankOf = tracingRank(request.firstAbove, await deliveryQueries(engine).inexactAlerts());
  const open = (await probeQueries(engine).openChanges(request)).toSorted((a, b) => rankOf(a) - rankOf(b));
  const groups = Map.groupBy(open.filter((change) => !isTried(change)).map(begin), keyOfGroup).values();
  const ranked = [...groups].map((searches) => ({ searches, isUrgent: searches.some((search) => rankOf(search) === URGENT) }));
  return ranked.toSorted((a, b) => Number(b.isUrgent) - Number(a.isUrgent));
}

export function begin(change: OpenChange): Search {
  return { ...change, probes: 0, least: leastProbes(change.after, change.atOrBefore) };
}

/** Tells a change within its interval from all others. */
export function keyOf({ address, module, after, atOrBefore }: Pick<OpenChange, "address" | "module" | "after" | "atOrBefore">): string {
  return `${address}::${module ?? ""} ${after} ${atOrBefore}`;
}

/** Groups changes of one account's modules with the same interval; a key makes a group of its own. */
function keyOfGroup({ address, module, after, atOrBefore }: Search): string {
  return `${address} ${module === undefined ? "key" : "modules"} ${after} ${atOrBefore}`;
}

/** The rank of alerts that nobody was told of yet: they are traced to their end before others begin, so that they are told exactly. */
const URGENT = 0;

/** How early a change is traced, the lowest first: urgent ones, then changes above a version, then older ones; alerts first in both. */
function tracingRank(firstAbove: bigint | undefined, alerts: readonly InexactAlert[]): (change: OpenChange) => number {
  const alertsAt = Map.groupBy(alerts, ({ address, module }) => `${address} ${module}`);
  return ({ address, module, after, atOrBefore }) => {
    const known = alertsAt.get(`${address} ${module}`) ?? [];
    const found = known.filter(({ afterVersion, atOrBeforeVersion }) => afterVersion < atOrBefore && after < atOrBeforeVersion);
    if (found.some(({ isTold }) => !isTold)) return URGENT;
    const isAbove = firstAbove === undefined || atOrBefore > firstAbove;
    return (isAbove ? 1 : 3) + (found.length > 0 ? 0 : 1);
  };
}
