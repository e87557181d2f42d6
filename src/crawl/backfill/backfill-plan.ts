import type { Engine } from "../../engine/engine.ts";
import type { LedgerNode } from "../../node/open-node.ts";
import { backfillQueries } from "../../work/runs/backfill.ts";
import { askFirst } from "../check/first-answer.ts";
import { forecastNow } from "../horizon/horizon-forecast.ts";
import type { SnapshotWork } from "../night/snapshot-reader.ts";
import { listScope, requestsEach } from "../targets/targets.ts";
import { type BackfillRequest, ledgerTime, versionsApart } from "./backfill.ts";
import { isWithin, planVersions, type WantedVersion } from "./backfill-points.ts";
import { planJobs } from "./jobs.ts";

/** A backfill's plan: each version with the accounts to read there (0: all are inferred or held), and whether it can be saved. */
export type BackfillPlan = Awaited<ReturnType<typeof planBackfill>>;

/** Plans a backfill with a few requests, and writes nothing. `engine` is undefined where there is no database yet. */
export async function planBackfill(
  work: Pick<SnapshotWork, "clock" | "stop" | "log"> & { readonly node: LedgerNode; readonly engine: Engine | undefined },
  request: BackfillRequest,
  ratePerSecond: number,
) {
  const { node, engine, clock } = work;
  const { head } = await askFirst({ ...work, isPlan: true });
  const laid = planVersions(request.points, head, await ledgerTime(work, request.points, head));
  const scope = await listScope(engine, request.scope);
  const maxApart = await versionsApart(work, request.maxInferred, head);
  const points: (WantedVersion & { readonly accounts: number })[] = [];
  for (const point of laid.filter(({ version }) => isWithin(version, request.reach))) {
    const open = (await (engine && backfillQueries(engine).openAccounts(point.version, scope, maxApart))) ?? scope;
    points.push({ ...point, accounts: open.length });
  }
  const each = requestsEach(request.records);
  const jobs = points.flatMap(({ version, accounts }) => (accounts > 0 ? [{ version, requests: each * accounts }] : []));
  const now = clock.now();
  const forecast = await forecastNow(engine, node.url, head, now);
  const msPerRequest = ratePerSecond > 0 ? 1000 / ratePerSecond : 0;
  const budget = request.maxRequests ?? Number.POSITIVE_INFINITY;
  const { order, refused } = planJobs(jobs, { msPerRequest, budget, leftMs: (version) => forecast.leftMs(version, now) });
  const requests = order.reduce((sum, job) => sum + job.requests, 0);
  const durationMs = msPerRequest > 0 ? requests * msPerRequest : undefined;
  return { chainId: head.chainId, points, snapshots: order.length, refused, requests, durationMs };
}
