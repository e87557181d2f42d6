import { askFirst } from "../../core/crawl/check/first-answer.ts";
import { listScope, requestsEach } from "../../core/crawl/targets/targets.ts";
import { forecastNow } from "../horizon/horizon-forecast.ts";
import { type BackfillRequest, type PlanWork, wantedOf } from "./backfill-points.ts";
import { pointQueries } from "./point-queries.ts";

/** A wanted snapshot, and the requests that it takes to read what is left of it. */
export type Job = { readonly version: bigint; readonly requests: number };

/**
 * The jobs that can be done, oldest first, which is the order in which they die, and why the others are left out: to begin each and finish
 * none would save nothing. `jobs` are oldest first; `leftMs` is how long a version stays readable, undefined where that is not known.
 */
export function admit(
  jobs: readonly Job[],
  msPerRequest: number,
  leftMs: (version: bigint) => number | undefined,
  budget = Number.POSITIVE_INFINITY,
) {
  const able: Job[] = [];
  const refused = new Map<bigint, "pruned" | "time" | "budget">();
  let requests = 0;
  for (const job of jobs) {
    const [left, needed] = [leftMs(job.version) ?? Number.POSITIVE_INFINITY, requests + job.requests];
    const why = left === 0 ? "pruned" : needed * msPerRequest > left ? "time" : needed > budget ? "budget" : undefined;
    if (why !== undefined) refused.set(job.version, why);
    else {
      able.push(job);
      requests = needed;
    }
  }
  return { able, refused, requests };
}

/**
 * Which of `jobs` (not empty, oldest first) to read next, where accounts are inferred between equal snapshots at most `maxApart` apart
 * (undefined: any): the oldest, the farthest that is near enough to it, then middles. Each change costs a logarithm. A search cut short
 * has settled the oldest, which are lost first.
 */
export function nextFromOldest<J extends Pick<Job, "version">>(jobs: readonly J[], sealed: readonly bigint[], maxApart?: bigint): J {
  const first = jobs[0] as J;
  const before = sealed.findLast((version) => version < first.version);
  if (before === undefined) return first;
  const after = sealed.find((version) => version > first.version);
  const isNear = (version: bigint): boolean => maxApart === undefined || version - before <= maxApart;
  const between = jobs.filter(({ version }) => isNear(version) && (after === undefined || version < after));
  return (after !== undefined && isNear(after) ? between[between.length >> 1] : between.at(-1)) ?? first;
}

/** A backfill's plan: each version with the accounts to read there (0: all are inferred or held), and why it is not read. */
export type BackfillPlan = Awaited<ReturnType<typeof planBackfill>>;

/** Plans a backfill with a few requests, and writes nothing. `engine` is undefined where there is no database yet. */
export async function planBackfill(work: PlanWork, request: BackfillRequest, ratePerSecond: number) {
  const { node, engine, clock } = work;
  const { head } = await askFirst({ ...work, isPlan: true });
  const scope = await listScope(engine, request.scope);
  const { wanted, maxApart } = await wantedOf(work, request, head);
  const openAt = async (version: bigint) => (await (engine && pointQueries(engine).openAccounts(version, scope, maxApart))) ?? scope;
  const points = await Array.fromAsync(wanted, async (one) => ({ ...one, accounts: (await openAt(one.version)).length }));
  const each = requestsEach(request.records);
  const jobs = points.flatMap(({ version, accounts }) => (accounts > 0 ? [{ version, requests: each * accounts }] : []));
  const now = clock.now();
  const forecast = await forecastNow(engine, node.url, head, now);
  const msPerRequest = ratePerSecond > 0 ? 1000 / ratePerSecond : 0;
  const { able, refused, requests } = admit(jobs, msPerRequest, (version) => forecast.leftMs(version, now)?.expected, request.maxRequests);
  return {
    chainId: head.chainId,
    points: points.map((one) => ({ ...one, refused: refused.get(one.version) })),
    snapshots: able.length,
    requests,
    durationMs: msPerRequest > 0 ? requests * msPerRequest : undefined,
  };
}
