import { contentTypes } from "../http/content-types.ts";
import type { Operation } from "../service.ts";

/** `GET /metrics`: counters and values of this moment, for Prometheus. */
export const readMetrics: Operation = async ({ metrics, gauges, holdings }, { head }) => {
  const held = { snapshots: await holdings.archive.countSnapshots(), newest_ledger_version: head?.newest ?? 0n };
  return {
    status: 200,
    contentType: contentTypes.metrics,
    body: Buffer.from(metrics.text({ ...held, ...gauges() })),
    cacheRule: "no_store",
  };
};
