import type { NodeGeneration } from "../../abi/node-json/format.ts";
import type { ArchiveHead } from "../../store/read/archive-head.ts";
import type { RowId } from "../../store/read/served-rows.ts";
import type { ServedArchive } from "../../store/read/serving.ts";
import { ByteCache } from "../http/byte-cache.ts";
import type { ServeLimits } from "../serve-limits.ts";
import { ModuleBodies } from "./module-bodies.ts";
import { moduleOrder } from "./state-key.ts";

/** A module of a listing; `order` sorts it as its state key does. */
export type OrderedModule = { readonly name: string; readonly bytecode: RowId; readonly order: string };

/** Sorts modules as their state keys are sorted. */
export function compareModules(a: OrderedModule, b: OrderedModule): number {
  return a.order < b.order ? -1 : a.order > b.order ? 1 : 0;
}

/** A page's body, and how many modules it has. */
export type Page = { readonly body: Buffer; readonly count: number };

/** Bytes that a module of a cached listing takes: two short texts, a number, and the object around them. */
const LISTED_BYTES = 200;

/**
 * The archive and what is cached of it between requests. Cached values are valid for one set of sealed snapshots: when
 * another snapshot is sealed they are dropped, and `serial` counts up.
 */
export class ArchiveCache {
  readonly archive: ServedArchive;
  readonly modules: ModuleBodies;
  /** However a page was asked for, it is one body in memory, compressed once. */
  readonly pages: ByteCache<Page>;
  readonly #listings: ByteCache<readonly OrderedModule[]>;
  #dataVersion: bigint | undefined;
  #checked: Promise<ArchiveHead | undefined> | undefined;
  #seen = "";
  #head: ArchiveHead | undefined;
  #serial = 0;

  constructor(archive: ServedArchive, limits: ServeLimits, generation: NodeGeneration) {
    this.archive = archive;
    this.modules = new ModuleBodies(archive.code, generation, limits.moduleCacheBytes);
    this.#listings = new ByteCache(limits.listingCacheBytes);
    this.pages = new ByteCache(limits.pageCacheBytes);
  }

  /**
   * The current head; undefined while nothing is sealed. The database is asked for its data version once per turn of the
   * event loop, since that costs a noticeable part of a small answer, and for more only when another process has written.
   */
  head(): Promise<ArchiveHead | undefined> {
    if (this.#checked === undefined) {
      const forget = () =>
        setImmediate(() => {
          this.#checked = undefined;
        });
      this.#checked = this.#check();
      this.#checked.then(forget, forget);
    }
    return this.#checked;
  }

  /** Counts up when the set of sealed snapshots changes; as of the latest `head`. */
  get serial(): number {
    return this.#serial;
  }

  /** An account's modules at a version that covers it, in the order of their state keys. */
  async listing(account: RowId, version: bigint): Promise<readonly OrderedModule[]> {
    const key = `${account}/${version}`;
    const cached = this.#listings.get(key);
    if (cached !== undefined) return cached;
    const serial = this.#serial;
    const listing = (await this.archive.listing(account, version))
      .map(({ name, bytecode }) => ({ name, bytecode, order: moduleOrder(name) }))
      .sort(compareModules);
    if (this.#serial === serial) this.#listings.set(key, listing, 64 + listing.length * LISTED_BYTES);
    return listing;
  }

  async #check(): Promise<ArchiveHead | undefined> {
    const dataVersion = await this.archive.dataVersion();
    if (dataVersion !== this.#dataVersion) await this.#refresh(dataVersion);
    return this.#head;
  }

  async #refresh(dataVersion: bigint): Promise<void> {
    const head = await this.archive.head();
    const counts = `${await this.archive.countSnapshots()}/${await this.archive.lastSealedAt()}`;
    const seen = head === undefined ? "" : `${head.newest}/${head.oldest}/${counts}`;
    this.#dataVersion = dataVersion;
    if (seen === this.#seen) return;
    this.#seen = seen;
    this.#head = head;
    this.#serial += 1;
    this.#listings.clear();
    this.pages.clear();
  }
}
