import { forEachConcurrent } from "../../core/base/async.ts";
import { compare } from "../../core/base/sorted.ts";
import type { HeadWatch } from "../../core/crawl/horizon/head-watch.ts";
import { askFirstOf, NO_TOTALS, recordRun } from "../../core/crawl/night/run-record.ts";
import { type StopReason, signalExit } from "../../core/crawl/run/run-work.ts";
import type { ExitName } from "../../core/exit-codes.ts";
import { compareModuleIds } from "../../core/move/module-id.ts";
import { openForecast } from "../horizon/horizon-forecast.ts";
import { type OpenChange, type OpenChangeRequest, probeQueries } from "./probes.ts";
import { leastProbes, type Search, type TracedChange, type TraceWork, traceGroup } from "./trace-group.ts";

export type TraceSummary = Awaited<ReturnType<typeof trace>>;

/**
 * Finds the exact version of each wanted change by bisection: those that are `first`, then those above `firstAbove`, then the oldest left
 * end. Every probe is stored before the next, so that another run continues; of two runs at once both make the same probes.
 */
export async function trace(work: TraceWork, request: OpenChangeRequest) {
  const { engine, node, clock, stop, concurrency } = work;
  await askFirstOf(work, "trace");
  const startedMs = clock.monotonic();
  const { openChanges } = probeQueries(engine, work.bytecodes);
  const changes: TracedChange[] = [];
  let [done, probes, least] = [0, 0, 0];

  const search = async (watch: HeadWatch) => {
    const forecast = await openForecast(work, watch);
    const groups = groupChanges(await openChanges(request));
    const searchGroup = async (group: readonly Search[]): Promise<void> => {
      const found = await traceGroup(work, forecast, group, () => {
        probes += 1;
        work.report({ done, planned: groups.length, probes });
      });
      changes.push(...found);
      least += group[0]?.least ?? 0;
      done += 1;
    };
    // Those of one rank are searched to their end before others begin, so that a small budget finishes them.
    for (const stage of Map.groupBy(groups, ([first]) => first?.rank).values())
      await forEachConcurrent(stage, concurrency, searchGroup, () => stop.reason !== undefined);
    return {
      changes: changes.toSorted(inOrder),
      probes,
      leastProbes: least,
      /** Changes in the whole database, as far as they were asked for, whose version is still not exact. */
      inexact: (await openChanges(request)).length,
      stoppedBy: stop.reason,
      requests: node.stats().requests,
      durationMs: clock.monotonic() - startedMs,
      exit: exitOf(stop.reason, changes),
    };
  };
  return recordRun(work, "trace", search, () => ({ exit: exitOf(stop.reason, changes), ...NO_TOTALS }));
}

/** Changes of one account's modules in the same interval as one group, a changed key as one of its own, in the order of the search. */
export function groupChanges(changes: readonly OpenChange[]): readonly Search[][] {
  const searches = changes
    .toSorted((a, b) => a.rank - b.rank)
    .map((change): Search => ({ ...change, probes: 0, least: leastProbes(change.after, change.atOrBefore) }));
  const groups = Map.groupBy(searches, ({ address, module, after, atOrBefore }) => `${address} ${!module} ${after} ${atOrBefore}`);
  return [...groups.values()];
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
