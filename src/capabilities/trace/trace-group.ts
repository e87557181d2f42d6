import { formatHex } from "../../core/base/bytes.ts";
import type { RunWork } from "../../core/crawl/run/run-work.ts";
import { CrawlError, classifyFailure } from "../../core/crawl/visit/classify-failure.ts";
import { fetchModule, readListing, readRecord, requireIndex } from "../../core/crawl/visit/visit-account.ts";
import type { ObservedModule } from "../../core/db/archive/content/observed-module.ts";
import type { Address } from "../../core/move/address.ts";
import type { RunForecast } from "../horizon/horizon-forecast.ts";
import { type OpenChange, probeQueries } from "./probes.ts";

/** What tracing works with. `report` is called after each probe. */
export type TraceWork = RunWork & {
  readonly report: (progress: TraceProgress) => void;
  /** Set when the node is an archive of what the crawled node has pruned: its URL, kept with each probe. */
  readonly source?: string;
};

export type TraceProgress = { readonly done: number; readonly planned: number; readonly probes: number };

/** How often a probe is replaced because the horizon had passed its version meanwhile. */
const OVERTAKEN_MAX = 5;

/**
 * Searches changes of one account in one interval together, since one listing shows all modules at once, until every change is exact
 * or cannot become so, or the run is asked to end. Each probe is stored before the next.
 */
export async function traceGroup(
  work: TraceWork,
  forecast: RunForecast,
  searches: readonly Search[],
  onProbe: () => void,
): Promise<TracedChange[]> {
  const { stop } = work;
  const changes: TracedChange[] = [];
  let open = searches;
  let overtaken = 0;
  const settle = (settled: readonly Search[], state: TracedChange["state"], reason: string | null = null): void => {
    open = open.filter((search) => !settled.includes(search));
    changes.push(...settled.map((search) => ({ ...search, state, reason })));
  };

  while (open.length > 0 && stop.reason === undefined) {
    // The one whose left end is oldest, and all others that this probe narrows.
    const search = open.reduce((a, b) => (b.after < a.after ? b : a));
    const newest = work.node.lastHead()?.ledgerVersion;
    const oldest = forecast()?.oldest;
    const version = newest === undefined || oldest === undefined ? undefined : nextProbe(search, { oldest, newest });
    if (version === undefined) {
      settle([search], newest !== undefined && newest < search.atOrBefore - 1n ? "behind" : "unreadable");
      continue;
    }
    try {
      const valueFor = await probe(
        work,
        version,
        open.filter(({ after, atOrBefore }) => after < version && version < atOrBefore),
      );
      onProbe();
      open = open.flatMap((one) => narrow(one, version, valueFor(one)));
      settle(open.filter(isExact), "exact");
    } catch (error) {
      if (stop.signal.aborted) continue;
      // It may be of this version alone.
      if (error instanceof CrawlError && error.ends === "run") {
        settle([search], "failed", error.message);
        continue;
      }
      const failure = classifyFailure(error, search.address, 1);
      const isPruned = failure.kind === "pruned";
      if (failure.kind === "budget") stop.request("budget");
      else if (!isPruned || ++overtaken > OVERTAKEN_MAX) settle([search], isPruned ? "unreadable" : "failed", failure.gap.message);
    }
  }
  settle(open, "open");
  return changes;
}

/**
 * Makes and stores one probe; returns the value at that version for each search. @throws CrawlError where the node lacks what stands at
 * both ends of an interval: a chain drops nothing
 */
async function probe(work: TraceWork, version: bigint, narrowed: readonly Search[]): Promise<(search: Search) => string | null> {
  const { address } = narrowed[0] as Search;
  const probes = probeQueries(work.engine, work.bytecodes);
  const names = [...new Set(narrowed.flatMap(({ module }) => module ?? []))];
  const [name] = names;
  if (name === undefined) {
    const record = await readRecord(work, address, version);
    if (record === null) forbidLoss(narrowed, () => null, version);
    await probes.commitAccountProbe(address, version, record, work.source);
    const key = record === null ? null : formatHex(record.authenticationKey);
    return () => key;
  }
  const only = names.length === 1 ? await fetchModule(work, address, name, version) : undefined;
  const seen = only === undefined ? await modulesOf(work, address, version, names) : only === null ? [] : [only];
  const values = new Map(seen.map(({ name, sha256 }) => [name, formatHex(sha256)]));
  const valueFor = ({ module }: Search): string | null => values.get(module as string) ?? null;
  forbidLoss(narrowed, valueFor, version);
  await probes.commitModuleProbes(address, version, names, seen, work.source);
  return valueFor;
}

function forbidLoss(narrowed: readonly Search[], valueFor: (search: Search) => string | null, version: bigint): void {
  const lost = narrowed.find((search) => search.from !== null && search.to !== null && valueFor(search) === null);
  if (lost !== undefined) throw CrawlError.missing(lost, version);
}

async function modulesOf(work: TraceWork, address: Address, version: bigint, names: readonly string[]): Promise<ObservedModule[]> {
  const { modules, doubts } = await readListing(work, address, version);
  if (doubts[0] !== undefined) throw CrawlError.doubtful(doubts[0], version);
  if (modules.length === 0) {
    await requireIndex(work, version);
    const modulesBefore = await probeQueries(work.engine).modulesBefore(address, version);
    if (modulesBefore > 0) throw CrawlError.emptied({ address, modulesBefore }, version);
  }
  return modules.filter(({ name }) => names.includes(name));
}

/** A change whose exact version is searched for. */
export type Search = OpenChange & {
  /** Probes made by this run, and the fewest that the first interval needs: ⌈log2⌉ of its length. */
  readonly probes: number;
  readonly least: number;
};

/**
 * What became of one change that was searched for: exact; open (the run ended first); unreadable (the versions left to read are pruned);
 * behind (the node has not reached them); failed, for a reason.
 */
export type TracedChange = Search & {
  readonly state: "exact" | "open" | "unreadable" | "behind" | "failed";
  readonly reason: string | null;
};

/** The number of probes that bisecting an interval needs: ⌈log2(atOrBefore − after)⌉. */
export function leastProbes(after: bigint, atOrBefore: bigint): number {
  const length = atOrBefore - after;
  return length <= 1n ? 0 : (length - 1n).toString(2).length;
}

/** Whether no version lies between the two ends. */
export function isExact({ after, atOrBefore }: Pick<Search, "after" | "atOrBefore">): boolean {
  return after + 1n === atOrBefore;
}

/** The version to read next: the middle of what can be read, from `oldest` to `newest`; undefined when nothing is left. */
export function nextProbe(
  { after, atOrBefore }: Pick<Search, "after" | "atOrBefore">,
  { oldest, newest }: { readonly oldest: bigint; readonly newest: bigint },
): bigint | undefined {
  // Versions below cannot be read, so the middle must not be one of them.
  const low = after < oldest - 1n ? oldest - 1n : after;
  if (atOrBefore - low <= 1n) return undefined;
  const middle = low + (atOrBefore - low) / 2n;
  if (middle <= newest) return middle;
  return newest > low ? newest : undefined;
}

/** The search that is left after a probe: the half with the change in it or, when the probe found a third value, two searches. */
export function narrow(search: Search, version: bigint, value: string | null): Search[] {
  if (version <= search.after || version >= search.atOrBefore) return [search];
  const probes = search.probes + 1;
  if (value === search.from) return [{ ...search, after: version, probes }];
  if (value === search.to) return [{ ...search, atOrBefore: version, probes }];
  return [
    { ...search, atOrBefore: version, to: value, probes, least: leastProbes(search.after, version) + probes },
    { ...search, after: version, from: value, probes, least: leastProbes(version, search.atOrBefore) + probes },
  ];
}
