import { forEachConcurrent } from "../../core/base/async.ts";
import { compare } from "../../core/base/sorted.ts";
import { askFirst } from "../../core/crawl/check/first-answer.ts";
import type { HeadWatch } from "../../core/crawl/horizon/head-watch.ts";
import { NO_TOTALS, recordRun } from "../../core/crawl/night/run-record.ts";
import { type StopReason, signalExit } from "../../core/crawl/run/run-work.ts";
import { rowOf, text, version } from "../../core/db/engine/row-shape.ts";
import { sql } from "../../core/db/schema/sql/sql.ts";
import type { ExitName } from "../../core/exit-codes.ts";
import type { Address } from "../../core/move/address.ts";
import { compareModuleIds } from "../../core/move/module-id.ts";
import { openForecast } from "../horizon/horizon-forecast.ts";
import { type OpenChange, type OpenChangeRequest, probeQueries } from "./probes.ts";
import { leastProbes, type Search, type TracedChange, type TraceWork, traceGroup } from "./trace-group.ts";

/** Which changes are wanted; those above a version come before older ones. */
export type TraceRequest = OpenChangeRequest & { readonly firstAbove?: bigint | undefined };

export type TraceSummary = Awaited<ReturnType<typeof trace>>;

/** Probes may show further changes between the same snapshots; these are traced in rounds of their own, at most this many. */
const ROUNDS = 8;

/**
 * Finds the exact version of each wanted change by bisection: those of alerts first, then those above `firstAbove`, then the oldest left
 * end. Every probe is stored before the next, so that another run continues; of two runs at once both make the same probes.
 */
export async function trace(work: TraceWork, request: TraceRequest) {
  const { engine, node, clock, stop, concurrency } = work;
  await askFirst(work);
  const startedMs = clock.monotonic();
  const queries = probeQueries(engine, work.bytecodes);
  const changes: TracedChange[] = [];
  let [probes, least] = [0, 0];

  const search = async (watch: HeadWatch) => {
    const forecast = await openForecast(work, watch);
    const tried = new Set<string>();
    for (let round = 0; round < ROUNDS && stop.reason === undefined; round++) {
      const open = (await queries.openChanges(request)).filter((change) => !tried.has(keyOf(change)));
      const rankOf = rankBy(await alertedChange.all(engine, alerted), request.firstAbove);
      const groups = groupChanges(open, rankOf);
      if (groups.length === 0) break;
      for (const one of groups.flat()) tried.add(keyOf(one));
      let done = 0;
      const searchGroup = async (group: readonly Search[]): Promise<void> => {
        const found = await traceGroup(work, forecast, group, () => {
          probes += 1;
          work.report({ done, planned: groups.length, probes });
        });
        changes.push(...found);
        for (const change of found) tried.add(keyOf(change));
        least += group[0]?.least ?? 0;
        done += 1;
      };
      // Those of one rank are searched to their end before others begin, so that a small budget finishes them.
      for (const stage of Map.groupBy(groups, ([first]) => rankOf(first as Search)).values())
        await forEachConcurrent(stage, concurrency, searchGroup, () => stop.reason !== undefined);
    }
    return {
      changes: changes.toSorted(inOrder),
      probes,
      leastProbes: least,
      /** Changes in the whole database, as far as they were asked for, whose version is still not exact. */
      inexact: (await queries.openChanges(request)).length,
      stoppedBy: stop.reason,
      requests: node.stats().requests,
      durationMs: clock.monotonic() - startedMs,
      exit: exitOf(stop.reason, changes),
    };
  };
  return recordRun(work, "trace", search, () => ({ exit: exitOf(stop.reason, changes), ...NO_TOTALS }));
}

/** The changes of alerts of which it is not known at which version they happened. */
const alertedChange = rowOf({
  address: text<Address>("a.address"),
  module: text("j.name"),
  afterVersion: version("j.after_version"),
  atOrBeforeVersion: version("j.at_or_before_version"),
});
const alerted = sql`SELECT ${alertedChange.columns} FROM _judgements j JOIN _addresses a ON a.id = j.address_id
  WHERE j.is_alert AND j.at_or_before_version > j.after_version + 1`;

/** How early a change is searched, the lowest first. */
function rankBy(alerts: readonly ReturnType<typeof alertedChange.read>[], firstAbove = -1n): (change: OpenChange) => number {
  const alertsAt = Map.groupBy(alerts, ({ address, module }) => `${address} ${module}`);
  return ({ address, module, after, atOrBefore }) => {
    const found = alertsAt.get(`${address} ${module}`) ?? [];
    if (found.some(({ afterVersion, atOrBeforeVersion }) => afterVersion < atOrBefore && after < atOrBeforeVersion)) return 0;
    return atOrBefore > firstAbove ? 1 : 2;
  };
}

/** Changes of one account's modules in the same interval as one group, a changed key as one of its own, in the order of the search. */
function groupChanges(changes: readonly OpenChange[], rankOf: (change: OpenChange) => number): readonly Search[][] {
  const searches = changes
    .toSorted((a, b) => rankOf(a) - rankOf(b))
    .map((change): Search => ({ ...change, probes: 0, least: leastProbes(change.after, change.atOrBefore) }));
  const groups = Map.groupBy(searches, ({ address, module, after, atOrBefore }) => `${address} ${!module} ${after} ${atOrBefore}`);
  return [...groups.values()];
}

/** Tells a change within its interval from all others. */
function keyOf({ address, module, after, atOrBefore }: OpenChange): string {
  return `${address}::${module ?? ""} ${after} ${atOrBefore}`;
}

/** By version, then by account and module, a rotated key before the account's modules. */
function inOrder(a: TracedChange, b: TracedChange): number {
  return (
    compare(a.atOrBefore, b.atOrBefore) ||
    compare(a.after, b.after) ||
    compareModuleIds({ address: a.address, name: a.module ?? "" }, { address: b.address, name: b.module ?? "" })
  );
}

function exitOf(reason: StopReason | undefined, changes: readonly TracedChange[]): ExitName {
  return signalExit(reason) ?? (changes.some(({ state }) => state === "failed") ? "gaps" : "done");
}
