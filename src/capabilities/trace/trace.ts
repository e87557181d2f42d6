import { forEachConcurrent } from "../../core/base/async.ts";
import { formatHex } from "../../core/base/bytes.ts";
import { compare } from "../../core/base/lists.ts";
import type { HeadWatch } from "../../core/crawl/horizon/head-watch.ts";
import { askFirstOf, NO_TOTALS, recordRun } from "../../core/crawl/night/run-record.ts";
import { type RunWork, signalExit } from "../../core/crawl/run/run-work.ts";
import { CrawlError, classifyFailure, isSpent } from "../../core/crawl/visit/classify-failure.ts";
import { fetchModule, readListing, readRecord, requireIndex } from "../../core/crawl/visit/visit-account.ts";
import type { ObservedModule } from "../../core/db/archive/content/observed-module.ts";
import type { ChangeBounds } from "../../core/db/archive/times/ledger-times.ts";
import type { ExitName } from "../../core/exit-codes.ts";
import { compareModuleIds } from "../../core/move/module-id.ts";
import { openForecast, type RunForecast } from "../horizon/horizon-forecast.ts";
import { type OpenChange, type OpenChangeRequest, probeQueries } from "./probes.ts";

export type TraceProgress = { readonly done: number; readonly planned: number; readonly probes: number };

/** What tracing works with. `report` is called after each probe. */
export type TraceWork = RunWork & { readonly report: (progress: TraceProgress) => void };

/** A change whose exact version is searched for: the probes of this run, and `leastProbes` of the interval in which it began. */
export type Search = OpenChange & { readonly probes: number; readonly least: number };

/**
 * What became of a search: exact; open (the run ended first); unreadable (the versions left to read are pruned); behind (the node has not
 * reached them); failed, for a reason.
 */
export type TracedChange = Search & {
  readonly state: "exact" | "open" | "unreadable" | "behind" | "failed";
  readonly reason: string | null;
};

export type TraceSummary = Awaited<ReturnType<typeof trace>>;

/**
 * Finds the exact version of each wanted change by halving: those that are `first`, then those above `firstAbove`, then the oldest left
 * end. Every probe is stored before the next, so that another run continues; of two runs at once both make the same probes.
 */
export async function trace(work: TraceWork, request: OpenChangeRequest) {
  const { engine, node, clock, stop, concurrency } = work;
  await askFirstOf(work, "trace");
  const startedMs = clock.monotonic();
  const { openChanges, withTimes } = probeQueries(engine);
  const changes: TracedChange[] = [];
  let [done, probes, least] = [0, 0, 0];
  const exit = (): ExitName => signalExit(stop.reason) ?? (changes.some(({ state }) => state === "failed") ? "gaps" : "done");

  const night = async (watch: HeadWatch) => {
    const forecast = await openForecast(work, watch);
    const groups = groupChanges(await openChanges(request));
    const searchGroup = async (group: readonly Search[]): Promise<void> => {
      const onProbe = () => work.report({ done, planned: groups.length, probes: ++probes });
      for await (const found of halve(work, forecast, group, onProbe)) changes.push(found);
      least += group[0]?.least ?? 0;
      done += 1;
    };
    // Those of one rank are searched to their end before others begin, so that a small budget finishes them.
    for (const stage of Map.groupBy(groups, ([first]) => first?.rank).values())
      await forEachConcurrent(stage, concurrency, searchGroup, () => stop.reason !== undefined);
    return {
      changes: await withTimes(changes.toSorted(inOrder)),
      probes,
      leastProbes: least,
      /** Changes in the whole database, as far as they were asked for, whose version is still not exact. */
      inexact: (await openChanges(request)).length,
      stoppedBy: stop.reason,
      requests: node.stats().requests,
      durationMs: clock.monotonic() - startedMs,
      exit: exit(),
    };
  };
  return recordRun(work, "trace", night, () => ({ exit: exit(), ...NO_TOTALS }));
}

/** Changes of one account's modules in the same interval as one group, since one listing shows all of them; a changed key alone. */
export function groupChanges(changes: readonly OpenChange[]): readonly Search[][] {
  const searches = changes.map((change): Search => ({ ...change, probes: 0, least: leastProbes(change.after, change.atOrBefore) }));
  return [...Map.groupBy(searches, ({ address, module, after, atOrBefore }) => `${address} ${!module} ${after} ${atOrBefore}`).values()];
}

/** By version, then by account and module, a rotated key before the account's modules. */
function inOrder(a: TracedChange, b: TracedChange): number {
  const order = compare(a.atOrBefore, b.atOrBefore) || compare(a.after, b.after);
  return order || compareModuleIds({ address: a.address, name: a.module ?? "" }, { address: b.address, name: b.module ?? "" });
}

/** How often a probe is replaced because the horizon had passed its version meanwhile. */
const OVERTAKEN_MAX = 5;

/** Halves the interval of a group until each change is exact or cannot become so, or the run is asked to end. */
async function* halve(work: TraceWork, forecast: RunForecast, group: readonly Search[], onProbe: () => void): AsyncGenerator<TracedChange> {
  const { stop, node } = work;
  const as = (state: TracedChange["state"], some: readonly Search[], reason: string | null = null): TracedChange[] =>
    some.map((one) => ({ ...one, state, reason }));
  let overtaken = 0;
  // Each entry is of one interval; the one on top has the oldest left end.
  const stack = [group];
  for (let some = stack.pop(); some !== undefined; some = stack.pop()) {
    const [first, ...others] = some;
    if (first === undefined) continue;
    const [oldest, newest] = [forecast()?.oldest, node.lastHead()?.ledgerVersion];
    const version = oldest === undefined || newest === undefined ? undefined : nextProbe(first, oldest, newest);
    if (isExact(first)) yield* as("exact", some);
    else if (stop.reason !== undefined) yield* as("open", some);
    else if (version === undefined) yield* as(newest !== undefined && newest < first.atOrBefore - 1n ? "behind" : "unreadable", some);
    else {
      try {
        const valueAt = await probe(work, version, some);
        onProbe();
        const halves = some.flatMap((one) => narrow(one, version, valueAt(one)));
        const isAfter = ({ after }: Search): boolean => after === version;
        stack.push(
          halves.filter(isAfter),
          halves.filter((half) => !isAfter(half)),
        );
      } catch (error) {
        // A node without an index may be so at this version alone.
        const isUnindexed = error instanceof CrawlError && error.ends === "run";
        if (isSpent(error)) stop.request("budget");
        const isCut = stop.signal.aborted || isSpent(error);
        const failure = isCut || isUnindexed ? undefined : classifyFailure(error, first.address, 1);
        if (isCut || (failure?.kind === "pruned" && ++overtaken <= OVERTAKEN_MAX)) stack.push(some);
        else {
          stack.push(others);
          yield* as(failure?.kind === "pruned" ? "unreadable" : "failed", [first], failure?.gap.message ?? (error as CrawlError).message);
        }
      }
    }
  }
}

/**
 * Makes and stores one probe; returns what it found of each search. @throws CrawlError where the node lacks what stands at both ends of
 * an interval: a chain drops nothing
 */
async function probe(work: TraceWork, version: bigint, group: readonly Search[]): Promise<(search: Search) => string | null> {
  const { address, module } = group[0] as Search;
  const names = group.flatMap(({ module }) => module ?? []);
  const record = module === undefined ? await readRecord(work, address, version) : undefined;
  const modules = module === undefined ? [] : await modulesAt(work, group[0] as Search, names, version);
  const values = new Map<string | undefined, string>(modules.map(({ name, sha256 }) => [name, formatHex(sha256)]));
  if (record) values.set(undefined, formatHex(record.authenticationKey));
  const valueAt = (search: Search): string | null => values.get(search.module) ?? null;
  const lost = group.find((search) => search.from !== null && search.to !== null && valueAt(search) === null);
  if (lost !== undefined) throw CrawlError.missing(lost, version);
  const { commitAccountProbe, commitModuleProbes } = probeQueries(work.engine, work.bytecodes);
  if (record !== undefined) await commitAccountProbe(address, version, record);
  else await commitModuleProbes(address, version, names, modules);
  return valueAt;
}

/** What stands under names: one is asked for alone, and several are taken of the account's listing. */
async function modulesAt(work: TraceWork, { address }: Search, names: readonly string[], version: bigint): Promise<ObservedModule[]> {
  if (names.length === 1) return [await fetchModule(work, address, names[0] as string, version)].filter((module) => module !== null);
  const { modules, doubts } = await readListing(work, address, version);
  if (doubts[0] !== undefined) throw CrawlError.doubtful(doubts[0], version);
  if (modules.length === 0) {
    await requireIndex(work, version);
    const modulesBefore = await probeQueries(work.engine).modulesBefore(address, version);
    if (modulesBefore > 0) throw CrawlError.emptied({ address, modulesBefore }, version);
  }
  return modules.filter(({ name }) => names.includes(name));
}

/** The number of probes that halving an interval with one change needs at most, and at least but one: ⌈log2(atOrBefore − after)⌉. */
export function leastProbes(after: bigint, atOrBefore: bigint): number {
  return after + 1n === atOrBefore ? 0 : (atOrBefore - after - 1n).toString(2).length;
}

/** Whether no version lies between the two ends. */
export const isExact = ({ after, atOrBefore }: ChangeBounds): boolean => after + 1n === atOrBefore;

/** The version to read next: the middle of what can be read, from `oldest` to `newest`; undefined when nothing is left. */
export function nextProbe({ after, atOrBefore }: ChangeBounds, oldest: bigint, newest: bigint): bigint | undefined {
  // Versions below cannot be read, so the middle must not be one of them.
  const low = after < oldest - 1n ? oldest - 1n : after;
  const high = atOrBefore - 1n < newest ? atOrBefore - 1n : newest;
  const middle = low + (atOrBefore - low) / 2n;
  return high <= low ? undefined : middle < high ? middle : high;
}

/** The search that is left after a probe: the half at whose ends the values differ or, when the probe found a third value, both. */
export function narrow(search: Search, version: bigint, value: string | null): Search[] {
  const [before, after] = [
    { atOrBefore: version, to: value },
    { after: version, from: value },
  ];
  const halves = [before, after].map((half): Search => ({ ...search, ...half, probes: search.probes + 1 }));
  const left = halves.filter(({ from, to }) => from !== to);
  return left.length === 1 ? left : left.map((half) => ({ ...half, least: leastProbes(half.after, half.atOrBefore) + half.probes }));
}
