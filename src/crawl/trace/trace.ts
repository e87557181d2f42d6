import { forEachConcurrent } from "../../base/concurrent.ts";
import type { ExitName } from "../../exit-codes.ts";
import type { OpenChangeRequest } from "../../store/work/probes.ts";
import { assertSameChain } from "../check/same-chain.ts";
import { inDiary } from "../night/run-record.ts";
import { leastProbes, type Search } from "./bisect.ts";
import { type TracedChange, TraceGroup, type TraceWork } from "./trace-group.ts";

/** What a trace came to. */
export type TraceSummary = {
  readonly findings: readonly TracedChange[];
  /** Probes made, and the fewest that all intervals together need: ⌈log2⌉ for each, one for all modules that share an interval. */
  readonly probes: number;
  readonly leastProbes: number;
  readonly requests: number;
  readonly durationMs: number;
  readonly exit: ExitName;
};

/** Probes may show further changes that both snapshots hid; these are traced in a round of their own, so many times. */
const ROUNDS = 8;

/**
 * Finds the exact version of each change wanted, by halving the interval between the two snapshots that show it. Changes
 * whose left end is oldest come first, since that is what the node prunes next.
 *
 * Every probe is stored before the next one is asked, so a run that dies goes on where it was.
 */
export async function trace(work: TraceWork, request: OpenChangeRequest): Promise<TraceSummary> {
  const { head } = await work.node.index(work.stop.signal);
  await assertSameChain(work.store, work.node, head, work.stop.signal);
  const startedMs = work.clock.monotonic();
  const findings: TracedChange[] = [];
  const probes = { made: 0, least: 0 };
  const run = async (): Promise<TraceSummary> => ({
    findings: findings.sort(inOrder),
    probes: probes.made,
    leastProbes: probes.least,
    requests: work.node.stats().requests,
    durationMs: work.clock.monotonic() - startedMs,
    exit: exitOf(work, findings),
  });
  return inDiary(
    work,
    "trace",
    async (watch) => {
      const tried = new Set<string>();
      for (let round = 0; round < ROUNDS && work.stop.reason === undefined; round++) {
        const searches = (await work.store.openChanges(request)).map(begin);
        const groups = groupsOf(searches.filter((search) => !tried.has(keyOf(search))));
        if (groups.length === 0) break;
        for (const search of searches) tried.add(keyOf(search));
        let done = 0;
        const report = (): void => work.report({ done, planned: groups.length, probes: probes.made });
        await forEachConcurrent(
          groups,
          work.concurrency,
          async (searches) => {
            const group = new TraceGroup(work, watch, searches, () => {
              probes.made += 1;
              report();
            });
            await group.run();
            findings.push(...group.findings);
            for (const finding of group.findings) tried.add(keyOf(finding));
            probes.least += group.least;
            done += 1;
          },
          () => work.stop.reason !== undefined,
        );
      }
      return run();
    },
    () => ({ exit: exitOf(work, findings), ledgerVersion: null, accounts: 0, modules: 0, newBytecodes: 0, gaps: 0 }),
  );
}

function begin(change: Omit<Search, "probes" | "least">): Search {
  return { ...change, probes: 0, least: leastProbes(change.after, change.atOrBefore) };
}

/** Changes of one account's modules that share their interval are searched together; a key is read on its own. */
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

function exitOf(work: TraceWork, findings: readonly TracedChange[]): ExitName {
  const { reason } = work.stop;
  if (reason === "SIGINT") return "interrupted";
  if (reason === "SIGTERM") return "terminated";
  return findings.some(({ state }) => state === "failed") ? "gaps" : "done";
}
