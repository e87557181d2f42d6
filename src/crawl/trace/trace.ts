import { forEachConcurrent } from "../../base/concurrent.ts";
import { compare } from "../../base/sorted.ts";
import type { ExitName } from "../../exit-codes.ts";
import { compareModuleIds } from "../../move/module-id.ts";
import type { PlannedGroup, TraceFindings } from "../../work/trace/trace-groups.ts";
import type { TracedChange } from "../../work/trace/traced-change.ts";
import type { TraceBudget, TraceRequest } from "../../work/trace/traces.ts";
import { askFirst } from "../check/first-answer.ts";
import type { HeadWatch } from "../horizon/head-watch.ts";
import { NO_TOTALS, recordRun } from "../night/run-record.ts";
import { type StopReason, signalExit } from "../run/stop.ts";
import { type TraceWork, traceGroup } from "./trace-group.ts";
import { keyOf, planSearches, ROUNDS } from "./trace-plan.ts";
import { traceTogether } from "./trace-together.ts";

export type TraceSummary = TraceFindings & {
  /** Changes in the whole database, as far as they were asked for, whose version is still not exact. */
  readonly inexact: number;
  readonly stoppedBy: StopReason | undefined;
  /** Requests of this process. */
  readonly requests: number;
  readonly durationMs: number;
  readonly exit: ExitName;
};

/**
 * Finds the exact version of each wanted change by bisection: untold alerts first, then changes above `firstAbove`, then the
 * oldest left end. Every probe is stored before the next, so that another run continues. Processes share search and budget.
 */
export async function trace(
  work: TraceWork,
  request: TraceRequest,
  budget: TraceBudget = { requests: undefined, ms: undefined },
): Promise<TraceSummary> {
  const { store, node, clock, stop } = work;
  await askFirst(work);
  const startedMs = clock.monotonic();
  let changes: TracedChange[] = [];
  // An archive node is asked for what others cannot read, and so by one process alone.
  const isTogether = store.isShared && work.source === undefined;
  const search = async (watch: HeadWatch): Promise<TraceSummary> => {
    const findings = isTogether
      ? await traceTogether(work, watch, request, budget)
      : await store.withLease("trace", () => traceAlone(work, watch, request, changes), stop.signal);
    changes = findings.changes.toSorted(inOrder);
    return {
      ...findings,
      changes,
      inexact: (await store.openChanges(request)).length,
      stoppedBy: stop.reason,
      requests: node.stats().requests,
      durationMs: clock.monotonic() - startedMs,
      exit: exitOf(stop.reason, changes),
    };
  };
  return recordRun(work, "trace", search, () => ({ exit: exitOf(stop.reason, changes), ...NO_TOTALS }));
}

/** Searches in one process; `changes` has what was found so far, also when it fails. */
async function traceAlone(work: TraceWork, watch: HeadWatch, request: TraceRequest, changes: TracedChange[]): Promise<TraceFindings> {
  const { store, stop, concurrency } = work;
  const tried = new Set<string>();
  let [probes, leastProbes] = [0, 0];
  for (let round = 0; round < ROUNDS && stop.reason === undefined; round++) {
    const groups = await planSearches(store, request, (change) => tried.has(keyOf(change)));
    if (groups.length === 0) break;
    for (const search of groups.flatMap(({ searches }) => searches)) tried.add(keyOf(search));
    let done = 0;
    const search = async ({ searches }: PlannedGroup): Promise<void> => {
      const found = await traceGroup(work, watch, searches, () => {
        probes += 1;
        work.report({ done, planned: groups.length, probes });
      });
      changes.push(...found);
      for (const change of found) tried.add(keyOf(change));
      leastProbes += searches[0]?.least ?? 0;
      done += 1;
    };
    for (const stage of [groups.filter(({ isUrgent }) => isUrgent), groups.filter(({ isUrgent }) => !isUrgent)]) {
      await forEachConcurrent(stage, concurrency, search, () => stop.reason !== undefined);
    }
  }
  return { changes, probes, leastProbes };
}

/** By version, then by account and module, a rotated key before the account's modules: the same however many searched, on every engine. */
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
