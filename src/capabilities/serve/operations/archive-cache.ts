import { decodeModule } from "../../../core/abi/decode.ts";
import { formatNodeAbi, type NodeGeneration, nodePrintsAbi } from "../../../core/abi/node-json/format.ts";
import type { Clock } from "../../../core/base/time.ts";
import type { Integer } from "../../../core/db/engine/engine.ts";
import { isUnavailable } from "../../../core/db/engine/errors.ts";
import { ifDecodable } from "../../../core/move/decode-error.ts";
import type { ArchiveHead } from "../archive-head.ts";
import { ByteCache, type ServeLimits } from "../http/bounds.ts";
import type { BodyFormat } from "../http/negotiation.ts";
import type { RowId, ServedArchive } from "./served-archive.ts";

/** `{"bytecode":"0x…","abi":{…}}`; the ABI is null where a node of the served generation cannot read the bytecode. */
function moduleJson(code: Uint8Array, generation: NodeGeneration): Buffer {
  const hex = Buffer.from(code.buffer, code.byteOffset, code.byteLength).toString("hex");
  const decoded = ifDecodable(() => decodeModule(code));
  const abi = decoded === undefined || !nodePrintsAbi(decoded, generation) ? null : formatNodeAbi(decoded.abi, generation);
  return Buffer.from(`{"bytecode":"0x${hex}","abi":${JSON.stringify(abi)}}`);
}

type MonotonicClock = Pick<Clock, "monotonic">;
/** Hears why the database gave no answer when it was asked for its head; undefined when it answered. */
type OnTrouble = (trouble: string | undefined) => void;

export type Page = { readonly body: Buffer; readonly count: number };

/**
 * The archive and what is cached of it between requests. Cached values are valid for one set of sealed snapshots: when
 * another snapshot is sealed they are dropped, and `serial` counts up.
 */
export class ArchiveCache {
  static #opened = 0;
  /** Tells apart the archives that are served one after another. */
  readonly number = ++ArchiveCache.#opened;
  readonly archive: ServedArchive;
  /** However a page was asked for, it is one body in memory, compressed once. */
  readonly pages: ByteCache<Page>;
  readonly #generation: NodeGeneration;
  readonly #clock: MonotonicClock;
  readonly #onTrouble: OnTrouble;
  #changes: Integer | undefined;
  #checked: { readonly head: Promise<ArchiveHead | undefined>; readonly atMs: number; isOver: boolean } | undefined;
  #head: ArchiveHead | undefined;
  /** Counts up when the set of sealed snapshots changes; as of the latest `head`. */
  serial = 0;

  constructor(archive: ServedArchive, limits: ServeLimits, generation: NodeGeneration, clock: MonotonicClock, onTrouble: OnTrouble) {
    this.archive = archive;
    this.#clock = clock;
    this.#generation = generation;
    this.#onTrouble = onTrouble;
    this.pages = new ByteCache(limits.pageCacheBytes);
  }

  /** The current head; undefined while nothing is sealed. A file's count of changes is asked each time, a server every `headMs`. */
  head(): Promise<ArchiveHead | undefined> {
    const nowMs = this.#clock.monotonic();
    const known = this.#checked;
    if (known !== undefined && (!known.isOver || nowMs - known.atMs < this.archive.headMs)) return known.head;
    const checked = { head: this.#check(), atMs: nowMs, isOver: false };
    const end = () => {
      checked.isOver = true;
    };
    checked.head.then(end, end);
    this.#checked = checked;
    return checked.head;
  }

  /** The current head, or the one before while the database gives no answer: for what can do without a newer one. */
  async headOrLast(): Promise<ArchiveHead | undefined> {
    try {
      return await this.head();
    } catch (error) {
      if (isUnavailable(error)) return this.#head;
      throw error;
    }
  }

  /**
   * A module in a format of a node. The JSON is made from the bytes: stored in the database it would double that, and making it takes well
   * under a millisecond.
   */
  async module(bytecode: RowId, format: BodyFormat): Promise<Uint8Array> {
    const code = await this.archive.code(bytecode);
    return format === "bcs" ? code : moduleJson(code, this.#generation);
  }

  async #check(): Promise<ArchiveHead | undefined> {
    try {
      const changes = await this.archive.changes?.();
      const head = changes === undefined || changes !== this.#changes ? await this.archive.head(this.#head) : this.#head;
      this.#changes = changes;
      this.#onTrouble(undefined);
      if (head !== this.#head) {
        this.#head = head;
        this.serial += 1;
        this.pages.clear();
      }
      return head;
    } catch (error) {
      if (isUnavailable(error)) this.#onTrouble(error.message);
      throw error;
    }
  }
}
