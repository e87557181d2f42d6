import type { OpenChange } from "../../archive/nodes/probes.ts";
import type { InexactAlert } from "../../work/alerts/deliveries.ts";

/** The rank of alerts that nobody was told of yet: they are traced to their end before others begin, so that they are told exactly. */
export const URGENT = 0;

/** How early a change is traced, the lowest first: urgent ones, then changes above a version, then older ones; alerts first in both. */
export function tracingRank(firstAbove: bigint | undefined, alerts: readonly InexactAlert[]): (change: OpenChange) => number {
  const alertsAt = Map.groupBy(alerts, ({ address, module }) => `${address} ${module}`);
  return ({ address, module, after, atOrBefore }) => {
    const known = alertsAt.get(`${address} ${module}`) ?? [];
    const found = known.filter(({ afterVersion, atOrBeforeVersion }) => afterVersion < atOrBefore && after < atOrBeforeVersion);
    if (found.some(({ isTold }) => !isTold)) return URGENT;
    const isAbove = firstAbove === undefined || atOrBefore > firstAbove;
    return (isAbove ? 1 : 3) + (found.length > 0 ? 0 : 1);
  };
}
