import { formatHex } from "../../base/hex.ts";
import type { Lease } from "../../engine/leases/leases.ts";
import type { Address } from "../../move/address.ts";
import type { Search, TracedChange } from "../../work/trace/traced-change.ts";
import type { HeadWatch } from "../horizon/head-watch.ts";
import type { RunWork } from "../run/run-work.ts";
import { classifyFailure } from "../visit/classify-failure.ts";
import { CrawlError } from "../visit/crawl-error.ts";
import { readListing, readModule, readRecord } from "../visit/visit-account.ts";
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

/** Searches changes of one account in one interval together, since one listing shows all modules at once. */
export class TraceGroup {
  readonly #work: TraceWork;
  readonly #watch: HeadWatch;
  readonly #address: Address;
  readonly #onProbe: () => void;
  readonly #lease: Lease | undefined;
  /** A version between the two snapshots that show the changes. */
  readonly #near: bigint;
  readonly changes: TracedChange[] = [];
  /** The fewest probes that the interval needs. */
  readonly least: number;
  #open: Search[];
  #isSecured = false;
  #overtaken = 0;
  #probeMs = FIRST_GUESS_MS;

  /** `lease` is that of a group which several processes might search. */
  constructor(work: TraceWork, watch: HeadWatch, searches: readonly Search[], onProbe: () => void, lease?: Lease) {
    const first = searches[0] as Search;
    this.#work = work;
    this.#watch = watch;
    this.#address = first.address;
    this.#onProbe = onProbe;
    this.#lease = lease;
    this.#near = first.after + 1n;
    this.#open = [...searches];
    this.least = leastProbes(first.after, first.atOrBefore);
  }

  /** Searches until every change is exact or cannot become so, or the run is asked to end. */
  async run(): Promise<void> {
    while (this.#open.length > 0) {
      if (this.#work.stop.reason !== undefined) {
        this.#settle(this.#open, "open");
        return;
      }
      await this.#step();
    }
    await this.#work.store.thinProbes(this.#address, [...new Set(this.changes.map(({ module }) => module))], this.#near);
  }

  /** Makes one probe: for the search whose left end is oldest, and for all others that it narrows. */
  async #step(): Promise<void> {
    const search = this.#open.reduce((a, b) => (b.after < a.after ? b : a));
    const range = readableRange(this.#watch, this.#work.clock.now(), this.#probeMs * (1 + leastProbes(search.after, search.atOrBefore)));
    const version = range === undefined ? undefined : nextProbe(search, range, this.#isSecured);
    if (version === undefined) {
      this.#settle([search], range !== undefined && range.newest < search.atOrBefore - 1n ? "behind" : "unreadable");
      return;
    }
    // The left end is secured once only: the horizon moves on during every probe, and would call for it each time.
    this.#isSecured = true;
    try {
      const startedMs = this.#work.clock.monotonic();
      const together = this.#open.filter(({ after, atOrBefore }) => after < version && version < atOrBefore);
      const valueFor = await this.#read(version, together);
      this.#probeMs = Math.max(1, this.#work.clock.monotonic() - startedMs);
      this.#onProbe();
      this.#apply(version, valueFor);
    } catch (error) {
      if (!this.#work.stop.signal.aborted) this.#failed(error, search);
    }
  }

  /** Makes and stores one probe; returns the value at that version for each search. */
  async #read(version: bigint, together: readonly Search[]): Promise<(search: Search) => string | null> {
    const { store, source = null } = this.#work;
    const address = this.#address;
    const names = [...new Set(together.map(({ module }) => module))];
    const [name] = names;
    if (name === undefined) {
      const record = await readRecord(this.#work, address, version);
      await store.commitAccountProbe(address, version, record, source, this.#lease);
      const key = record === null ? null : formatHex(record.authenticationKey);
      return () => key;
    }
    if (names.length === 1) {
      const seen = await readModule(this.#work, address, name, version);
      await store.commitModuleProbe(address, name, version, seen, source, this.#lease);
      const value = seen === null ? null : formatHex(seen.sha256);
      return () => value;
    }
    const { modules: listing, doubts } = await readListing(this.#work, address, version);
    if (doubts[0] !== undefined) throw CrawlError.doubtful(doubts[0], version);
    await store.commitListingProbe(address, version, listing, names as string[], source, this.#lease);
    const values = new Map(listing.map((module) => [module.name, formatHex(module.sha256)]));
    return ({ module }) => values.get(module as string) ?? null;
  }

  #apply(version: bigint, valueFor: (search: Search) => string | null): void {
    const narrowed = this.#open.flatMap((search) =>
      search.after < version && version < search.atOrBefore ? narrow(search, version, valueFor(search)) : [search],
    );
    this.#open = narrowed.filter((search) => !isExact(search));
    for (const search of narrowed) if (isExact(search)) this.changes.push({ ...search, state: "exact", reason: null });
  }

  #failed(error: unknown, search: Search): void {
    const failure = classifyFailure(error, this.#address, 1);
    if (failure.kind === "budget") this.#work.stop.request("budget");
    else if (failure.kind === "pruned" && ++this.#overtaken <= OVERTAKEN_MAX) return;
    else this.#settle([search], failure.kind === "pruned" ? "unreadable" : "failed", failure.miss.message);
  }

  #settle(searches: readonly Search[], state: TracedChange["state"], reason: string | null = null): void {
    this.#open = this.#open.filter((search) => !searches.includes(search));
    for (const search of searches) this.changes.push({ ...search, state, reason });
  }
}

/** While the horizon's speed is unknown, this fraction of the window above it is taken to be unsafe. */
const MARGIN_SHARE = 200n;

/** The versions that stay readable for `needMs`: from `oldest`, now readable at every node of the address, to the latest head. */
function readableRange(watch: HeadWatch, nowMs: number, needMs: number): ReadableRange | undefined {
  const forecast = watch.forecast();
  const head = watch.head;
  if (forecast === undefined || head === undefined) return undefined;
  const { oldest } = forecast;
  const reached = forecast.prunedBy(nowMs + needMs)?.worst ?? oldest + (head.ledgerVersion - oldest) / MARGIN_SHARE;
  return { oldest, newest: head.ledgerVersion, safe: reached > oldest ? reached + 1n : oldest };
}
