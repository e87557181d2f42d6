import { forEachConcurrent } from "../../base/concurrent.ts";
import type { LeasedStore } from "../../work/store.ts";
import type { GroupEnd, GroupInHand, TakeableGroups } from "../../work/trace/trace-groups.ts";
import type { TracedChange } from "../../work/trace/traced-change.ts";
import type { OpenTrace, TraceState } from "../../work/trace/traces.ts";
import { isTakenOver } from "../../work/workers/sharing.ts";
import type { HeadWatch } from "../horizon/head-watch.ts";
import { RateMeter } from "../night/progress.ts";
import { isExact } from "./bisect.ts";
import { TraceGroup, type TraceWork } from "./trace-group.ts";
import { begin, keyOf, planSearches, ROUNDS } from "./trace-plan.ts";

/** Whether a process that searches along with those that were asked to is needed elsewhere; undefined for one that was asked. */
export type IsNeeded = (() => Promise<boolean>) | undefined;

/** Why a process left a trace: it is over, the run is to end, it is needed elsewhere, or nothing is left that it can do. */
export type Leaving = "over" | "stopped" | "needed" | "of no use";

/** How often one looks whether a group that others have comes free, or the trace is over. */
const LOOK_EVERY_MS = 500;

/** Searches a trace beside other processes, group by group. It has to be come to before, and is left by the caller. */
export class SharedSearch {
  readonly #work: TraceWork;
  readonly #watch: HeadWatch;
  readonly #trace: OpenTrace;
  readonly #isNeededElsewhere: IsNeeded;
  readonly #inHand = new Set<GroupInHand>();
  readonly #meter = new RateMeter();
  #toldRequests: number;
  #state: TraceState | undefined;
  #probes = 0;
  #isNeeded = false;

  constructor(work: TraceWork, watch: HeadWatch, trace: OpenTrace, isNeededElsewhere: IsNeeded) {
    this.#work = work;
    this.#watch = watch;
    this.#trace = trace;
    this.#isNeededElsewhere = isNeededElsewhere;
    this.#toldRequests = work.node.stats().requests;
  }

  /** Searches until the trace is over, whoever does the rest, or this process has to leave it before. */
  async run(): Promise<Leaving> {
    const { store, stop, clock } = this.#work;
    const { id } = this.#trace;
    for (;;) {
      const taken = await this.#searchGroups();
      if (stop.reason !== undefined) return "stopped";
      if (this.#isNeeded) return "needed";
      const state = await store.traceState(id);
      if (state === undefined || state.isEnded) return "over";
      if (state.inHand === 0 && (state.open === 0 || state.isSpent))
        await store.withLease("trace", (turn) => this.#planOrEnd(turn), stop.signal);
      else if (taken > 0) continue;
      else if (this.#isNeededElsewhere !== undefined && state.inHand === 0) return "of no use";
      else await clock.sleep(LOOK_EVERY_MS, stop.signal).catch(() => {});
    }
  }

  /** Searches all groups that can be had now. @returns how many */
  async #searchGroups(): Promise<number> {
    const { store, concurrency, stop } = this.#work;
    let taken = 0;
    const search = async (group: GroupInHand): Promise<void> => {
      taken += 1;
      await this.#search(group);
      this.#inHand.delete(group);
    };
    try {
      await forEachConcurrent(this.#groups(), concurrency, search, () => stop.reason !== undefined);
    } finally {
      // Taken and not begun, or ended by an error.
      for (const group of this.#inHand) await store.releaseTraceGroup(group).catch(() => {});
      this.#inHand.clear();
    }
    return taken;
  }

  async *#groups(): AsyncGenerator<GroupInHand> {
    const { store, stop } = this.#work;
    while (stop.reason === undefined) {
      this.#isNeeded = (await this.#isNeededElsewhere?.()) === true;
      if (this.#isNeeded) return;
      const group = await store.takeTraceGroup(this.#trace.id, this.#reach());
      if (group === undefined) return;
      this.#inHand.add(group);
      this.#state = await store.traceState(this.#trace.id);
      yield group;
    }
  }

  #reach(): TakeableGroups {
    if (this.#isNeededElsewhere === undefined) return "all";
    const head = this.#work.node.lastHead();
    // Before the first answer nothing is in reach.
    return head === undefined ? { oldest: 1n, newest: 0n } : { oldest: head.oldestVersion, newest: head.ledgerVersion };
  }

  async #search(group: GroupInHand): Promise<void> {
    const { store } = this.#work;
    // Another may have begun it: its probes are kept, so that what it asked is not asked again.
    const known = await store.changesBetween(group);
    const searches = known.filter((change) => !isExact(change)).map(begin);
    let probes = 0;
    const onProbe = () => {
      probes += 1;
      this.#report();
    };
    const found: TracedChange[] = known.filter(isExact).map((change) => ({ ...begin(change), state: "exact", reason: null }));
    let how: GroupEnd = "done";
    try {
      if (searches.length > 0) {
        const traced = new TraceGroup(this.#work, this.#watch, searches, onProbe, group.lease);
        await traced.run();
        found.push(...traced.changes);
        if (traced.changes.some(({ state }) => state === "open")) how = "given back";
        else if (this.#isNeededElsewhere !== undefined && traced.changes.some(({ state }) => state !== "exact")) how = "passed on";
      }
      // One who died had found all.
      else await store.thinProbes(group.address, group.modules, group.after + 1n);
      await store.settleTraceGroup(group, how, found, probes);
    } catch (error) {
      if (!isTakenOver(error, group.lease)) throw error;
      this.#work.log("warn", "this worker's lease ran out, and another worker took over its changes", error.facts);
    } finally {
      await this.#spend();
    }
  }

  /** Tells the budget what was sent since it was told last. */
  async #spend(): Promise<void> {
    const { requests } = this.#work.node.stats();
    const sent = requests - this.#toldRequests;
    this.#toldRequests = requests;
    await this.#work.store.spendOnTrace(this.#trace.id, sent);
  }

  /** With the turn: plans what probes have shown besides; ends the trace where that is nothing. */
  async #planOrEnd(turn: LeasedStore): Promise<void> {
    const { id, request } = this.#trace;
    const state = await turn.traceState(id);
    if (state === undefined || state.isEnded || state.inHand > 0 || (state.open > 0 && !state.isSpent)) return;
    const tried = new Set((await turn.traceFindings(id)).changes.map(keyOf));
    const isLast = state.isSpent || state.rounds >= ROUNDS;
    const groups = isLast ? [] : await planSearches(turn, request, (change) => tried.has(keyOf(change)));
    if (groups.length === 0) await turn.endTrace(id);
    else await turn.addTraceRound(id, groups);
  }

  #report(): void {
    const { node, clock, store, report } = this.#work;
    const { requests } = node.stats();
    this.#probes += 1;
    store.reportCounts({ requests, perMinute: Math.round(60 * this.#meter.measure(clock.monotonic(), requests)) });
    const { groups = 0, open = 0 } = this.#state ?? {};
    report({ done: groups - open, planned: groups, probes: this.#probes });
  }
}
