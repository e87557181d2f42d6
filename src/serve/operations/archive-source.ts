import type { NodeGeneration } from "../../abi/node-json/format.ts";
import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import { StoreError } from "../../store/errors.ts";
import type { ArchivePlace } from "../../store/read/serving.ts";
import type { ServeLimits } from "../serve-limits.ts";
import { ArchiveCache } from "./archive-cache.ts";

/** What an archive source needs from its surroundings. */
export type ArchiveSourceOptions = {
  readonly place: ArchivePlace;
  readonly limits: ServeLimits;
  readonly generation: NodeGeneration;
  readonly clock: Pick<Clock, "monotonic">;
  readonly log: Log;
};

/** An open archive, and how many requests are answered from it. */
type Opened = { readonly cache: ArchiveCache; readonly identity: string | undefined; users: number };

/** How often it is looked whether another file lies in the archive's place, in milliseconds: a look costs a few microseconds. */
const LOOK_MS = 1000;

/**
 * The archive that is served. When another file is put in its place (a restore, a copy moved there), that one is opened
 * and answers from then on; the old one is closed once the requests that use it are answered. A request works on one
 * archive from its beginning to its end, since row numbers mean nothing in another.
 */
export class ArchiveSource {
  readonly #options: ArchiveSourceOptions;
  #opened: Opened;
  #lookedMs: number;
  #isDamaged = false;
  #opening: Promise<void> | undefined;

  private constructor(options: ArchiveSourceOptions, opened: Opened) {
    this.#options = options;
    this.#opened = opened;
    this.#lookedMs = options.clock.monotonic();
  }

  /** @throws StoreError */
  static async open(options: ArchiveSourceOptions): Promise<ArchiveSource> {
    return new ArchiveSource(options, await openPlace(options));
  }

  /** Does something with the archive that lies in its place now. Rejects as the work does. */
  async use<T>(work: (cache: ArchiveCache) => Promise<T>): Promise<T> {
    if (this.#options.clock.monotonic() - this.#lookedMs >= LOOK_MS) await this.#look();
    const opened = this.#opened;
    opened.users += 1;
    try {
      return await work(opened.cache);
    } catch (error) {
      // A file that was overwritten in place keeps its identity and reads as damaged: opened anew it may be whole.
      if (error instanceof StoreError) this.#isDamaged = true;
      throw error;
    } finally {
      opened.users -= 1;
      await this.#closeUnused(opened);
    }
  }

  async close(): Promise<void> {
    await this.#opening;
    await this.#opened.cache.archive.close();
  }

  async #look(): Promise<void> {
    const { place, clock } = this.#options;
    this.#lookedMs = clock.monotonic();
    const identity = place.identity();
    // Nothing there is the moment between taking a file away and putting another: the open one still answers.
    if (identity === undefined || (identity === this.#opened.identity && !this.#isDamaged)) return;
    this.#opening ??= this.#replace().finally(() => {
      this.#opening = undefined;
    });
    await this.#opening;
  }

  async #replace(): Promise<void> {
    const { log } = this.#options;
    const old = this.#opened;
    try {
      this.#opened = await openPlace(this.#options);
      this.#isDamaged = false;
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      log("warn", `another file lies in the database's place and cannot be opened: ${why}; still answering from the one before`);
      return;
    }
    log("info", "another file lies in the database's place: answering from it");
    await this.#closeUnused(old);
  }

  async #closeUnused(opened: Opened): Promise<void> {
    if (opened !== this.#opened && opened.users === 0) await opened.cache.archive.close();
  }
}

async function openPlace({ place, limits, generation }: ArchiveSourceOptions): Promise<Opened> {
  const identity = place.identity();
  return { cache: new ArchiveCache(await place.open(), limits, generation), identity, users: 0 };
}
