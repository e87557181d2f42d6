import type { NodeGeneration } from "../../abi/node-json/format.ts";
import type { Log } from "../../base/log.ts";
import type { Clock } from "../../base/time/clock.ts";
import { isUnavailable, StoreError } from "../../engine/errors.ts";
import type { ServedArchive } from "../../work/served-archive.ts";
import type { ServeLimits } from "../serve-limits.ts";
import { ArchiveCache } from "./archive-cache.ts";

export type ArchiveSourceOptions = {
  /** Opens what lies in the archive's place now. @throws StoreError */
  readonly open: () => Promise<ServedArchive>;
  readonly limits: ServeLimits;
  readonly generation: NodeGeneration;
  readonly clock: Pick<Clock, "monotonic">;
  readonly log: Log;
};

/** An open archive, and how many requests are answered from it. */
type Opened = { readonly cache: ArchiveCache; users: number };

/** How often it is looked whether another database lies in the archive's place, in milliseconds. */
const LOOK_MS = 1000;

/**
 * The archive that is served. When another file takes its place, that one answers from then on, and the old one is closed after
 * its last request, since row numbers differ. A server that went away is asked again.
 */
export class ArchiveSource {
  readonly #options: ArchiveSourceOptions;
  #opened: Opened;
  #lookedMs: number;
  #isDamaged = false;
  #isAway = false;
  #opening: Promise<void> | undefined;

  private constructor(options: ArchiveSourceOptions, opened: Opened) {
    this.#options = options;
    this.#opened = opened;
    this.#lookedMs = options.clock.monotonic();
  }

  /** @throws StoreError */
  static async open(options: ArchiveSourceOptions): Promise<ArchiveSource> {
    return new ArchiveSource(options, await openCache(options));
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
      if (error instanceof StoreError && !isUnavailable(error)) this.#isDamaged = true;
      throw error;
    } finally {
      this.#note(opened.cache.trouble);
      opened.users -= 1;
      await this.#closeUnused(opened);
    }
  }

  async close(): Promise<void> {
    await this.#opening;
    await this.#opened.cache.archive.close();
  }

  async #look(): Promise<void> {
    this.#lookedMs = this.#options.clock.monotonic();
    // Where this cannot be found out, the request itself will hear why.
    if (!this.#isDamaged && !(await this.#opened.cache.archive.isReplaced().catch(() => false))) return;
    this.#opening ??= this.#replace().finally(() => {
      this.#opening = undefined;
    });
    await this.#opening;
  }

  async #replace(): Promise<void> {
    const { log } = this.#options;
    const old = this.#opened;
    try {
      this.#opened = await openCache(this.#options);
      this.#isDamaged = false;
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      log("warn", `the served database was replaced by one that cannot be opened: ${why}; still serving the old one`);
      return;
    }
    log("info", "the served database was replaced; serving the new one");
    await this.#closeUnused(old);
  }

  /** The operator's log hears once that the database gives no answer, and once that it does again. */
  #note(trouble: string | undefined): void {
    const isAway = trouble !== undefined;
    if (isAway === this.#isAway) return;
    this.#isAway = isAway;
    if (isAway) this.#options.log("warn", `the database does not answer; until it does, requests get status 503: ${trouble}`);
    else this.#options.log("info", "the database answers again");
  }

  async #closeUnused(opened: Opened): Promise<void> {
    if (opened !== this.#opened && opened.users === 0) await opened.cache.archive.close();
  }
}

async function openCache({ open, limits, generation, clock }: ArchiveSourceOptions): Promise<Opened> {
  return { cache: new ArchiveCache(await open(), limits, generation, clock), users: 0 };
}
