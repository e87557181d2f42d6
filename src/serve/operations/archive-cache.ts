import type { NodeGeneration } from "../../abi/node-json/format.ts";
import type { Address } from "../../move/address.ts";
import type { ArchiveHead, RowId, ServedArchive } from "../../store/read/serving.ts";
import { ByteCache } from "../http/byte-cache.ts";
import type { ServeLimits } from "../serve-limits.ts";
import { ModuleRecords } from "./module-record.ts";
import { moduleOrder } from "./state-key.ts";

/** A module of a listing, with what its place is decided by. */
export type OrderedModule = { readonly name: string; readonly bytecode: RowId; readonly order: string };

/** A page's body, and how many modules are in it. */
export type Page = { readonly body: Buffer; readonly count: number };

/** Bytes that a module takes in a kept listing: two short texts, a number, and what holds them together. */
const LISTED_BYTES = 200;

/**
 * The archive as answers are made from it: its head, and what is worth cacheRule between requests. Everything kept holds
 * for a set of sealed snapshots; when another is sealed it is dropped, and `serial` changes.
 */
export class Holdings {
  readonly archive: ServedArchive;
  readonly records: ModuleRecords;
  readonly #listings: ByteCache<readonly OrderedModule[]>;
  /** Whatever words a page was asked for in, it is one body, packed once and in memory once. */
  readonly pages: ByteCache<Page>;
  #dataVersion: bigint | undefined;
  #checked: Promise<ArchiveHead | undefined> | undefined;
  #seen = "";
  #head: ArchiveHead | undefined;
  #serial = 0;

  constructor(archive: ServedArchive, limits: ServeLimits, generation: NodeGeneration) {
    this.archive = archive;
    this.records = new ModuleRecords(archive.code, generation, limits.moduleCacheBytes);
    this.#listings = new ByteCache(limits.listingCacheBytes);
    this.pages = new ByteCache(limits.pageCacheBytes);
  }

  /**
   * The head now, undefined while nothing is sealed. Asks whether somebody has written to the database once in a turn of the
   * event loop, since that costs a noticeable part of a small answer; and anything more only when somebody has.
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

  /** An account's modules at a version that holds it, in the order of their state keys. */
  async listing(account: RowId, version: bigint): Promise<readonly OrderedModule[]> {
    const key = `${account}/${version}`;
    const kept = this.#listings.get(key);
    if (kept !== undefined) return kept;
    const serial = this.#serial;
    const listing = (await this.archive.listing(account, version))
      .map(({ name, bytecode }) => ({ name, bytecode, order: moduleOrder(name) }))
      .sort((a, b) => (a.order < b.order ? -1 : a.order > b.order ? 1 : 0));
    if (this.#serial === serial) this.#listings.set(key, listing, 64 + listing.length * LISTED_BYTES);
    return listing;
  }

  findAccount(address: Address): Promise<RowId | undefined> {
    return this.archive.findAccount(address);
  }

  async #check(): Promise<ArchiveHead | undefined> {
    const dataVersion = await this.archive.dataVersion();
    if (dataVersion !== this.#dataVersion) await this.#refresh(dataVersion);
    return this.#head;
  }

  async #refresh(dataVersion: bigint): Promise<void> {
    const head = await this.archive.head();
    const seen =
      head === undefined ? "" : `${head.newest}/${head.oldest}/${await this.archive.countSnapshots()}/${await this.archive.lastSealedAt()}`;
    this.#dataVersion = dataVersion;
    if (seen === this.#seen) return;
    this.#seen = seen;
    this.#head = head;
    this.#serial += 1;
    this.#listings.clear();
    this.pages.clear();
  }
}
