import { probeQueries } from "../../archive/nodes/probes.ts";
import { formatHex } from "../../base/hex.ts";
import type { Lease } from "../../engine/leases/leases.ts";
import type { Search, TracedChange } from "../../work/trace/traced-change.ts";
import type { HeadWatch } from "../horizon/head-watch.ts";
import type { RunWork } from "../run/run-work.ts";
import { CrawlError, classifyFailure } from "../visit/classify-failure.ts";
import { fetchModule, readListing, readRecord } from "../visit/visit-account.ts";
import { isExact, leastProbes, narrow, nextProbe, type ReadableRange } from "./bisect.ts";

/** What tracing works with. `report` is called after each probe. */
export type TraceWork = RunWork & {
  readonly report: (progress: TraceProgress) => void;
  /** Set when the node is an archive of what the crawled node has pruned: its URL, kept with each probe. */
  readonly source?: string;
};

export type TraceProgress = { readonly done: number; readonly planned: number; readonly probes: number };

/** How often a probe is replaced because the horizon had passed its version meanwhile. */
const OVERTAKEN_MAX = 5;

/** The time assumed for a probe before one was made, to judge if a left end is readable for long enough. */
const FIRST_GUESS_MS = 1_000;

/** While the horizon's speed is unknown, this fraction of the window above it is taken to be unsafe. */
const MARGIN_SHARE = 200n;

/**
 * Searches changes of one account in one interval together, since one listing shows all modules at once, until every change is exact
 * or cannot become so, or the run is asked to end. `lease` is that of a group which several processes might search.
 */
export async function traceGroup(
  work: TraceWork,
  watch: HeadWatch,
  searches: readonly Search[],
  onProbe: () => void,
  lease?: Lease,
): Promise<TracedChange[]> {
  const { engine, clock, stop, source = null } = work;
  const { address, after: before } = searches[0] as Search;
  const probes = probeQueries(engine, work.bytecodes);
  const changes: TracedChange[] = [];
  let open = searches;
  let isSecured = false;
  let overtaken = 0;
  let probeMs = FIRST_GUESS_MS;

  const settle = (settled: readonly Search[], state: TracedChange["state"], reason: string | null = null): void => {
    open = open.filter((search) => !settled.includes(search));
    for (const search of settled) changes.push({ ...search, state, reason });
  };

  /** Makes one probe: for the search whose left end is oldest, and for all others that it narrows. */
  async function step(): Promise<void> {
    const search = open.reduce((a, b) => (b.after < a.after ? b : a));
    const range = readableRange(probeMs * (1 + leastProbes(search.after, search.atOrBefore)));
    const version = range === undefined ? undefined : nextProbe(search, range, isSecured);
    if (version === undefined) {
      settle([search], range !== undefined && range.newest < search.atOrBefore - 1n ? "behind" : "unreadable");
      return;
    }
    // The left end is secured once only: the horizon moves on during every probe, and would call for it each time.
    isSecured = true;
    const isNarrowed = ({ after, atOrBefore }: Search): boolean => after < version && version < atOrBefore;
    try {
      const startedMs = clock.monotonic();
      const valueFor = await read(version, open.filter(isNarrowed));
      probeMs = Math.max(1, clock.monotonic() - startedMs);
      onProbe();
      open = open.flatMap((one) => (isNarrowed(one) ? narrow(one, version, valueFor(one)) : [one]));
      settle(open.filter(isExact), "exact");
    } catch (error) {
      if (!stop.signal.aborted) failed(error, search);
    }
  }

  /** The versions that stay readable for `needMs`: from `oldest`, now readable at every node of the address, to the latest head. */
  function readableRange(needMs: number): ReadableRange | undefined {
    const forecast = watch.forecast();
    const head = work.node.lastHead();
    if (forecast === undefined || head === undefined) return undefined;
    const { oldest } = forecast;
    const reached = forecast.prunedBy(clock.now() + needMs)?.worst ?? oldest + (head.ledgerVersion - oldest) / MARGIN_SHARE;
    return { oldest, newest: head.ledgerVersion, safe: reached > oldest ? reached + 1n : oldest };
  }

  /** Makes and stores one probe; returns the value at that version for each search. */
  async function read(version: bigint, together: readonly Search[]): Promise<(search: Search) => string | null> {
    const names = [...new Set(together.map(({ module }) => module))];
    const [name] = names;
    if (name === undefined) {
      const record = await readRecord(work, address, version);
      await probes.commitAccountProbe(address, version, record, source, lease);
      const key = record === null ? null : formatHex(record.authenticationKey);
      return () => key;
    }
    if (names.length === 1) {
      const seen = await fetchModule(work, address, name, version);
      await probes.commitModuleProbe(address, name, version, seen, source, lease);
      const value = seen === null ? null : formatHex(seen.sha256);
      return () => value;
    }
    const { modules: listing, doubts } = await readListing(work, address, version);
    if (doubts[0] !== undefined) throw CrawlError.doubtful(doubts[0], version);
    await probes.commitListingProbe(address, version, listing, names as string[], source, lease);
    const values = new Map(listing.map((module) => [module.name, formatHex(module.sha256)]));
    return ({ module }) => values.get(module as string) ?? null;
  }

  function failed(error: unknown, search: Search): void {
    const failure = classifyFailure(error, address, 1);
    if (failure.kind === "budget") stop.request("budget");
    else if (failure.kind === "pruned" && ++overtaken <= OVERTAKEN_MAX) return;
    else settle([search], failure.kind === "pruned" ? "unreadable" : "failed", failure.miss.message);
  }

  while (open.length > 0) {
    if (stop.reason !== undefined) {
      settle(open, "open");
      return changes;
    }
    await step();
  }
  await probes.thinProbes(address, [...new Set(changes.map(({ module }) => module))], before + 1n);
  return changes;
}
