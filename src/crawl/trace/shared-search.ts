import { probeQueries } from "../../archive/nodes/probes.ts";
import { forEachConcurrent } from "../../base/concurrent.ts";
import type { Engine } from "../../engine/engine.ts";
import { type GroupEnd, type GroupInHand, type TraceFindings, traceGroupQueries } from "../../work/trace/trace-groups.ts";
import type { TracedChange } from "../../work/trace/traced-change.ts";
import { type OpenTrace, type TraceState, traceQueries } from "../../work/trace/traces.ts";
import { isTakenOver, withLease } from "../../work/workers/sharing.ts";
import type { HeadWatch } from "../horizon/head-watch.ts";
import { RateMeter } from "../night/progress.ts";
import { isExact } from "./bisect.ts";
import { type TraceWork, traceGroup } from "./trace-group.ts";
import { begin, keyOf, planSearches, ROUNDS } from "./trace-plan.ts";

/** How often one looks whether a group that others have comes free, or the trace is over. */
const LOOK_EVERY_MS = 500;

/** Searches an open trace to its end, or until this process has to leave. It has to be come to before. */
export async function searchAlong(work: TraceWork, watch: HeadWatch, trace: OpenTrace): Promise<TraceFindings> {
  const { engine, sharing } = work;
  try {
    await searchShared(work, watch, trace);
    return await traceGroupQueries(engine, sharing.take).traceFindings(trace.id);
  } finally {
    await traceQueries(engine, sharing.take)
      .leaveTrace(trace.id)
      .catch(() => {});
  }
}

/** Searches a trace beside other processes, group by group, until it is over, whoever does the rest, or the run is to end. */
async function searchShared(work: TraceWork, watch: HeadWatch, trace: OpenTrace): Promise<void> {
  const { engine, sharing, node, clock, stop, concurrency } = work;
  const traces = traceQueries(engine, sharing.take);
  const groupQueries = traceGroupQueries(engine, sharing.take);
  const { id, request } = trace;
  const inHand = new Set<GroupInHand>();
  const meter = new RateMeter();
  let toldRequests = node.stats().requests;
  let progress: TraceState | undefined;
  let probesInAll = 0;

  /** Searches all groups that can be had now. @returns how many */
  async function searchGroups(): Promise<number> {
    let taken = 0;
    const searchTaken = async (group: GroupInHand): Promise<void> => {
      taken += 1;
      await search(group);
      inHand.delete(group);
    };
    try {
      await forEachConcurrent(groups(), concurrency, searchTaken, () => stop.reason !== undefined);
    } finally {
      // Taken and not begun, or ended by an error.
      for (const group of inHand) await groupQueries.releaseTraceGroup(group).catch(() => {});
      inHand.clear();
    }
    return taken;
  }

  async function* groups(): AsyncGenerator<GroupInHand> {
    while (stop.reason === undefined) {
      const group = await groupQueries.takeTraceGroup(id);
      if (group === undefined) return;
      inHand.add(group);
      progress = await traces.traceState(id);
      yield group;
    }
  }

  async function search(group: GroupInHand): Promise<void> {
    // Another may have begun it: its probes are kept, so that what it asked is not asked again.
    const known = await probeQueries(engine).changesBetween(group);
    const searches = known.filter((change) => !isExact(change)).map(begin);
    let probes = 0;
    const onProbe = () => {
      probes += 1;
      report();
    };
    const found: TracedChange[] = known.filter(isExact).map((change) => ({ ...begin(change), state: "exact", reason: null }));
    let how: GroupEnd = "done";
    try {
      if (searches.length > 0) {
        const traced = await traceGroup(work, watch, searches, onProbe, group.lease);
        found.push(...traced);
        if (traced.some(({ state }) => state === "open")) how = "given back";
      }
      // One who died had found all.
      else await probeQueries(engine).thinProbes(group.address, group.modules, group.after + 1n);
      await groupQueries.settleTraceGroup(group, how, found, probes);
    } catch (error) {
      if (!isTakenOver(error, group.lease)) throw error;
      work.log("warn", "this worker's lease ran out, and another worker took over its changes", error.facts);
    } finally {
      await spend();
    }
  }

  /** Tells the budget what was sent since it was told last. */
  async function spend(): Promise<void> {
    const { requests } = node.stats();
    const sent = requests - toldRequests;
    toldRequests = requests;
    await traces.spendOnTrace(id, sent);
  }

  /** With the turn: plans what probes have shown besides; ends the trace where that is nothing. */
  async function planOrEnd(turn: Engine): Promise<void> {
    const state = await traceQueries(turn, sharing.take).traceState(id);
    if (state === undefined || state.isEnded || state.inHand > 0 || (state.open > 0 && !state.isSpent)) return;
    const tried = new Set((await traceGroupQueries(turn, sharing.take).traceFindings(id)).changes.map(keyOf));
    const isLast = state.isSpent || state.rounds >= ROUNDS;
    const further = isLast ? [] : await planSearches(turn, request, (change) => tried.has(keyOf(change)));
    if (further.length === 0) await traceQueries(turn, sharing.take).endTrace(id);
    else await traceQueries(turn, sharing.take).addTraceRound(id, further);
  }

  function report(): void {
    const { requests } = node.stats();
    probesInAll += 1;
    sharing.worker?.reportCounts({ requests, perMinute: Math.round(60 * meter.measure(clock.monotonic(), requests)) });
    const { groups: planned = 0, open = 0 } = progress ?? {};
    work.report({ done: planned - open, planned, probes: probesInAll });
  }

  for (;;) {
    const taken = await searchGroups();
    if (stop.reason !== undefined) return;
    const state = await traces.traceState(id);
    if (state === undefined || state.isEnded) return;
    if (state.inHand === 0 && (state.open === 0 || state.isSpent)) await withLease(work, "trace", planOrEnd, stop.signal);
    else if (taken > 0) continue;
    else await clock.sleep(LOOK_EVERY_MS, stop.signal).catch(() => {});
  }
}
