import { forEachConcurrent } from "../../base/concurrent.ts";
import type { ExitName } from "../../exit-codes.ts";
import type { OpenChangeRequest } from "../../store/work/probes.ts";
import { askFirst } from "../check/first-answer.ts";
import { recordRun } from "../night/run-record.ts";
import type { StopReason } from "../night/stop.ts";
import { leastProbes, type Search } from "./bisect.ts";
import { type TracedChange, TraceGroup, type TraceWork } from "./trace-group.ts";
import { tracingRank, URGENT } from "./trace-order.ts";

/** The result of a trace. */
export type TraceSummary = {
  readonly changes: readonly TracedChange[];
  /** Probes made, and the fewest that all intervals need: ⌈log2⌉ of the length of each; modules that share an interval share its probes. */
  readonly probes: number;
  readonly leastProbes: number;
  /** Changes in the whole database, as far as they were asked for, whose version is still not exact. */
  readonly inexact: number;
  readonly stoppedBy: StopReason | undefined;
  readonly requests: number;
  readonly durationMs: number;
  readonly exit: ExitName;
};

/** Which changes are wanted, and which of them come first: those above a version, before older ones. */
export type TraceRequest = OpenChangeRequest & { readonly firstAbove?: bigint | undefined };

/** Probes may show further changes between the same snapshots; these are traced in rounds of their own, at most this many. */
const ROUNDS = 8;

/**
 * Finds the exact version of each wanted change by bisecting the interval between the two snapshots that show it. Alerts that nobody
 * was told of come first, then changes above `firstAbove`, then those whose left end is oldest, since the node prunes that next.
 *
 * Every probe is stored before the next one is made, so that the next run continues where one that died had stopped.
 */
export async function trace(work: TraceWork, request: TraceRequest): Promise<TraceSummary> {
  await askFirst({ ...work, signal: work.stop.signal });
  const startedMs = work.clock.monotonic();
  const changes: TracedChange[] = [];
  const probes = { made: 0, least: 0 };
  const run = async (): Promise<TraceSummary> => ({
    changes: changes.sort(inOrder),
    probes: probes.made,
    leastProbes: probes.least,
    inexact: (await work.store.openChanges(request)).length,
    stoppedBy: work.stop.reason,
    requests: work.node.stats().requests,
    durationMs: work.clock.monotonic() - startedMs,
    exit: exitOf(work, changes),
  });
  return recordRun(
    work,
    "trace",
    (watch) =>
      work.store.inTurn(
        "trace",
        async () => {
          const tried = new Set<string>();
          for (let round = 0; round < ROUNDS && work.stop.reason === undefined; round++) {
            const rankOf = tracingRank(request.firstAbove, await work.store.inexactAlerts());
            const open = await work.store.openChanges(request);
            const searches = open.toSorted((a, b) => rankOf(a) - rankOf(b)).map(begin);
            const groups = groupsOf(searches.filter((search) => !tried.has(keyOf(search))));
            if (groups.length === 0) break;
            for (const search of searches) tried.add(keyOf(search));
            let done = 0;
            const report = (): void => work.report({ done, planned: groups.length, probes: probes.made });
            const traceGroup = async (searches: readonly Search[]): Promise<void> => {
              const group = new TraceGroup(work, watch, searches, () => {
                probes.made += 1;
                report();
              });
              await group.run();
              changes.push(...group.changes);
              for (const change of group.changes) tried.add(keyOf(change));
              probes.least += group.least;
              done += 1;
            };
            const isUrgent = (group: readonly Search[]): boolean => group.some((search) => rankOf(search) === URGENT);
            for (const stage of [groups.filter(isUrgent), groups.filter((group) => !isUrgent(group))]) {
              await forEachConcurrent(stage, work.concurrency, traceGroup, () => work.stop.reason !== undefined);
            }
          }
          return run();
        },
        work.stop.signal,
      ),
    () => ({ exit: exitOf(work, changes), ledgerVersion: null, accounts: 0, modules: 0, newBytecodes: 0, gaps: 0 }),
  );
}

function begin(change: Omit<Search, "probes" | "least">): Search {
  return { ...change, probes: 0, least: leastProbes(change.after, change.atOrBefore) };
}

/** Groups changes of one account's modules with the same interval; a key makes a group of its own. */
function groupsOf(searches: readonly Search[]): Search[][] {
  const keyOfGroup = ({ address, module, after, atOrBefore }: Search): string =>
    `${address} ${module === undefined ? "key" : "modules"} ${after} ${atOrBefore}`;
  return [...Map.groupBy(searches, keyOfGroup).values()];
}

function keyOf({ address, module, after, atOrBefore }: Search): string {
  return `${address}::${module ?? ""} ${after} ${atOrBefore}`;
}

function inOrder(a: TracedChange, b: TracedChange): number {
  return a.atOrBefore < b.atOrBefore ? -1 : a.atOrBefore > b.atOrBefore ? 1 : 0;
}

function exitOf(work: TraceWork, changes: readonly TracedChange[]): ExitName {
  const { reason } = work.stop;
  if (reason === "SIGINT") return "interrupted";
  if (reason === "SIGTERM") return "terminated";
  return changes.some(({ state }) => state === "failed") ? "gaps" : "done";
}
