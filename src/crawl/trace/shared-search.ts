import { forEachConcurrent } from "../../base/concurrent.ts";
import type { LeasedStore } from "../../work/store.ts";
import type { GroupEnd, GroupInHand, TraceFindings } from "../../work/trace/trace-groups.ts";
import type { TracedChange } from "../../work/trace/traced-change.ts";
import type { OpenTrace, TraceState } from "../../work/trace/traces.ts";
import { isTakenOver } from "../../work/workers/sharing.ts";
import type { HeadWatch } from "../horizon/head-watch.ts";
import { RateMeter } from "../night/progress.ts";
import { isExact } from "./bisect.ts";
import { type TraceWork, traceGroup } from "./trace-group.ts";
import { begin, keyOf, planSearches, ROUNDS } from "./trace-plan.ts";

/** How often one looks whether a group that others have comes free, or the trace is over. */
const LOOK_EVERY_MS = 500;

/** Searches an open trace to its end, or until this process has to leave. It has to be come to before. */
export async function searchAlong(work: TraceWork, watch: HeadWatch, trace: OpenTrace): Promise<TraceFindings> {
  const { store } = work;
  try {
    await searchShared(work, watch, trace);
    return await store.traceFindings(trace.id);
  } finally {
    await store.leaveTrace(trace.id).catch(() => {});
  }
}

/** Searches a trace beside other processes, group by group, until it is over, whoever does the rest, or the run is to end. */
async function searchShared(work: TraceWork, watch: HeadWatch, trace: OpenTrace): Promise<void> {
  const { store, node, clock, stop, concurrency } = work;
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
      for (const group of inHand) await store.releaseTraceGroup(group).catch(() => {});
      inHand.clear();
    }
    return taken;
  }

  async function* groups(): AsyncGenerator<GroupInHand> {
    while (stop.reason === undefined) {
      const group = await store.takeTraceGroup(id);
      if (group === undefined) return;
      inHand.add(group);
      progress = await store.traceState(id);
      yield group;
    }
  }

  async function search(group: GroupInHand): Promise<void> {
    // Another may have begun it: its probes are kept, so that what it asked is not asked again.
    const known = await store.changesBetween(group);
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
      else await store.thinProbes(group.address, group.modules, group.after + 1n);
      await store.settleTraceGroup(group, how, found, probes);
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
    await store.spendOnTrace(id, sent);
  }

  /** With the turn: plans what probes have shown besides; ends the trace where that is nothing. */
  async function planOrEnd(turn: LeasedStore): Promise<void> {
    const state = await turn.traceState(id);
    if (state === undefined || state.isEnded || state.inHand > 0 || (state.open > 0 && !state.isSpent)) return;
    const tried = new Set((await turn.traceFindings(id)).changes.map(keyOf));
    const isLast = state.isSpent || state.rounds >= ROUNDS;
    const further = isLast ? [] : await planSearches(turn, request, (change) => tried.has(keyOf(change)));
    if (further.length === 0) await turn.endTrace(id);
    else await turn.addTraceRound(id, further);
  }

  function report(): void {
    const { requests } = node.stats();
    probesInAll += 1;
    store.reportCounts({ requests, perMinute: Math.round(60 * meter.measure(clock.monotonic(), requests)) });
    const { groups: planned = 0, open = 0 } = progress ?? {};
    work.report({ done: planned - open, planned, probes: probesInAll });
  }

  for (;;) {
    const taken = await searchGroups();
    if (stop.reason !== undefined) return;
    const state = await store.traceState(id);
    if (state === undefined || state.isEnded) return;
    if (state.inHand === 0 && (state.open === 0 || state.isSpent)) await store.withLease("trace", planOrEnd, stop.signal);
    else if (taken > 0) continue;
    else await clock.sleep(LOOK_EVERY_MS, stop.signal).catch(() => {});
  }
}
