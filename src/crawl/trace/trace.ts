import { probeQueries } from "../../archive/nodes/probes.ts";
import { forEachConcurrent } from "../../base/concurrent.ts";
import { compare } from "../../base/sorted.ts";
import type { Engine } from "../../engine/engine.ts";
import type { ExitName } from "../../exit-codes.ts";
import { compareModuleIds } from "../../move/module-id.ts";
import type { PlannedGroup, TraceFindings } from "../../work/trace/trace-groups.ts";
import type { TracedChange } from "../../work/trace/traced-change.ts";
import { type OpenTrace, type TraceBudget, type TraceRequest, traceQueries } from "../../work/trace/traces.ts";
import { withLease } from "../../work/workers/sharing.ts";
import { askFirst } from "../check/first-answer.ts";
import type { HeadWatch } from "../horizon/head-watch.ts";
import { NO_TOTALS, recordRun } from "../night/run-record.ts";
import { type StopReason, signalExit } from "../run/stop.ts";
import { searchAlong } from "./shared-search.ts";
import { type TraceWork, traceGroup } from "./trace-group.ts";
import { keyOf, planSearches, ROUNDS } from "./trace-plan.ts";

export type TraceSummary = Awaited<ReturnType<typeof trace>>;

/**
 * Finds the exact version of each wanted change by bisection: untold alerts first, then changes above `firstAbove`, then the
 * oldest left end. Every probe is stored before the next, so that another run continues. Processes share search and budget.
 */
export async function trace(work: TraceWork, request: TraceRequest, budget: TraceBudget = { requests: undefined, ms: undefined }) {
  const { engine, node, clock, stop } = work;
  await askFirst(work);
  const startedMs = clock.monotonic();
  let changes: TracedChange[] = [];
  // An archive node is asked for what others cannot read, and so by one process alone.
  const isTogether = work.sharing.worker !== undefined && work.source === undefined;
  const search = async (watch: HeadWatch) => {
    const findings = isTogether
      ? await traceTogether(work, watch, request, budget)
      : await withLease(work, "trace", () => traceAlone(work, watch, request, changes), stop.signal);
    changes = findings.changes.toSorted(inOrder);
    return {
      ...findings,
      changes,
      /** Changes in the whole database, as far as they were asked for, whose version is still not exact. */
      inexact: (await probeQueries(engine).openChanges(request)).length,
      stoppedBy: stop.reason,
      /** Requests of this process. */
      requests: node.stats().requests,
      durationMs: clock.monotonic() - startedMs,
      exit: exitOf(stop.reason, changes),
    };
  };
  return recordRun(work, "trace", search, () => ({ exit: exitOf(stop.reason, changes), ...NO_TOTALS }));
}

/** Searches in one process; `changes` has what was found so far, also when it fails. */
async function traceAlone(work: TraceWork, watch: HeadWatch, request: TraceRequest, changes: TracedChange[]): Promise<TraceFindings> {
  const { engine, stop, concurrency } = work;
  const tried = new Set<string>();
  let [probes, leastProbes] = [0, 0];
  for (let round = 0; round < ROUNDS && stop.reason === undefined; round++) {
    const groups = await planSearches(engine, request, (change) => tried.has(keyOf(change)));
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

/**
 * Traces beside other processes that share the database: opens the trace for all of them, or joins the one that others are at;
 * then, where that one was for something else, opens its own. The last to finish ends it. @returns what all of them found
 */
async function traceTogether(work: TraceWork, watch: HeadWatch, request: TraceRequest, budget: TraceBudget): Promise<TraceFindings> {
  const { node, stop, log } = work;
  for (;;) {
    const left = budget.requests === undefined ? undefined : Math.max(1, budget.requests - node.stats().requests);
    const open = await withLease(
      work,
      "trace",
      (turn) => openOrJoin(traceQueries(turn, work.sharing.take), turn, request, { ...budget, requests: left }),
      stop.signal,
    );
    if (open === undefined) return { changes: [], probes: 0, leastProbes: 0 };
    if (open.isJoined) log("info", "joining a trace that other workers began");
    const findings = await searchAlong(work, watch, open);
    if (stop.reason !== undefined || isSame(open.request, request)) return findings;
  }
}

/** With the turn, so that of several that begin at once one opens the trace. One that nobody is at is left: its probes are stored. */
async function openOrJoin(
  traces: ReturnType<typeof traceQueries>,
  turn: Engine,
  request: TraceRequest,
  budget: TraceBudget,
): Promise<(OpenTrace & { readonly isJoined: boolean }) | undefined> {
  const open = await traces.openTrace();
  if (open !== undefined && (await traces.othersAtTrace(open.id)) > 0) {
    await traces.comeToTrace(open.id);
    return { ...open, isJoined: true };
  }
  const groups = await planSearches(turn, request, () => false);
  if (groups.length === 0) return undefined;
  const id = await traces.beginTrace(request, budget, groups);
  await traces.comeToTrace(id);
  return { id, request, isJoined: false };
}

function isSame(a: TraceRequest, b: TraceRequest): boolean {
  return (["address", "module", "from", "to", "firstAbove"] as const).every((name) => a[name] === b[name]);
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
