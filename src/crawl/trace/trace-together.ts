import type { LeasedStore } from "../../work/store.ts";
import type { TraceFindings } from "../../work/trace/trace-groups.ts";
import type { OpenTrace, TraceBudget, TraceRequest } from "../../work/trace/traces.ts";
import type { HeadWatch } from "../horizon/head-watch.ts";
import { type IsNeeded, type Leaving, searchShared } from "./shared-search.ts";
import type { TraceWork } from "./trace-group.ts";
import { planSearches } from "./trace-plan.ts";

const NOTHING: TraceFindings = { changes: [], probes: 0, leastProbes: 0 };

/**
 * Traces beside other processes that share the database: opens the trace for all of them, or joins the one that others are at;
 * then, where that one was for something else, opens its own. The last to finish ends it. @returns what all of them found
 */
export async function traceTogether(work: TraceWork, watch: HeadWatch, request: TraceRequest, budget: TraceBudget): Promise<TraceFindings> {
  const { store, node, stop, log } = work;
  for (;;) {
    const left = budget.requests === undefined ? undefined : Math.max(1, budget.requests - node.stats().requests);
    const open = await store.withLease("trace", (turn) => openOrJoin(turn, request, { ...budget, requests: left }), stop.signal);
    if (open === undefined) return NOTHING;
    if (open.isJoined) log("info", "joining a trace that other workers began");
    const { findings } = await searchAlong(work, watch, open);
    if (stop.reason !== undefined || isSame(open.request, request)) return findings;
  }
}

/** Searches an open trace to its end, or until this process has to leave. */
export async function searchAlong(
  work: TraceWork,
  watch: HeadWatch,
  trace: OpenTrace,
  isNeededElsewhere?: IsNeeded,
): Promise<{ readonly leaving: Leaving; readonly findings: TraceFindings }> {
  const { store } = work;
  try {
    const leaving = await searchShared(work, watch, trace, isNeededElsewhere);
    return { leaving, findings: await store.traceFindings(trace.id) };
  } finally {
    await store.leaveTrace(trace.id).catch(() => {});
  }
}

/** With the turn, so that of several that begin at once one opens the trace. One that nobody is at is left: its probes are stored. */
async function openOrJoin(
  turn: LeasedStore,
  request: TraceRequest,
  budget: TraceBudget,
): Promise<(OpenTrace & { readonly isJoined: boolean }) | undefined> {
  const open = await turn.openTrace();
  if (open !== undefined && (await turn.othersAtTrace(open.id)) > 0) {
    await turn.comeToTrace(open.id);
    return { ...open, isJoined: true };
  }
  const groups = await planSearches(turn, request, () => false);
  if (groups.length === 0) return undefined;
  const id = await turn.beginTrace(request, budget, groups);
  await turn.comeToTrace(id);
  return { id, request, isJoined: false };
}

function isSame(a: TraceRequest, b: TraceRequest): boolean {
  return (["address", "module", "from", "to", "firstAbove"] as const).every((name) => a[name] === b[name]);
}
