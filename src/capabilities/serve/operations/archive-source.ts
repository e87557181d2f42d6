import type { Log } from "../../../core/base/log.ts";
import { isUnavailable, StoreError } from "../../../core/db/engine/errors.ts";
import { type ArchiveCache, archiveCache, type CacheOptions } from "./archive-cache.ts";
import type { ServedArchive } from "./served-archive.ts";

type ArchiveSourceOptions = Omit<CacheOptions, "onTrouble"> & {
  /** Opens what lies in the archive's place now. @throws StoreError */
  readonly open: () => Promise<ServedArchive>;
  readonly log: Log;
};

/** An open archive, and how many requests are answered from it. */
type Opened = { readonly cache: ArchiveCache; users: number };

/** How often it is looked whether another database lies in the archive's place, in milliseconds. */
const LOOK_MS = 1000;

/**
 * Opens the archive that is served. When another file takes its place, that one answers from then on, and the old one is closed after
 * its last request, since row numbers differ. A server that went away is asked again. @throws StoreError
 */
export async function openArchiveSource(options: ArchiveSourceOptions) {
  const { open, clock, log } = options;
  let isAway = false;
  /** The operator's log hears once that the database gives no answer, and once that it does again. */
  const onTrouble = (trouble: string | undefined): void => {
    if ((trouble !== undefined) === isAway) return;
    isAway = trouble !== undefined;
    if (isAway) log("warn", `the database does not answer; until it does, requests get status 503: ${trouble}`);
    else log("info", "the database answers again");
  };
  const openCache = async (): Promise<Opened> => ({ cache: archiveCache(await open(), { ...options, onTrouble }), users: 0 });
  let current = await openCache();
  let lookedMs = clock.monotonic();
  let isDamaged = false;
  let replacing: Promise<void> | undefined;
  let saidWhy: string | undefined;

  const closeUnused = async (opened: Opened): Promise<void> => {
    if (opened !== current && opened.users === 0) await opened.cache.archive.close();
  };
  const replace = async (): Promise<void> => {
    lookedMs = clock.monotonic();
    // Where this cannot be found out, the request itself will hear why.
    if (!isDamaged && !(await current.cache.archive.isReplaced().catch(() => false))) return;
    const old = current;
    try {
      current = await openCache();
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      if (why !== saidWhy)
        log("warn", `the served database is gone, or was replaced by one that cannot be opened: ${why}; still serving the old one`);
      saidWhy = why;
      return;
    }
    [isDamaged, saidWhy] = [false, undefined];
    log("info", "the served database was replaced; serving the new one");
    await closeUnused(old);
  };
  const look = async (): Promise<void> => {
    replacing ??= replace().finally(() => {
      replacing = undefined;
    });
    await replacing;
  };

  return {
    /** Does something with the archive that lies in its place now. Rejects as the work does. */
    use: async <T>(work: (cache: ArchiveCache) => Promise<T>): Promise<T> => {
      if (clock.monotonic() - lookedMs >= LOOK_MS) await look();
      const opened = current;
      opened.users += 1;
      try {
        return await work(opened.cache);
      } catch (error) {
        // A file that was overwritten in place keeps its identity and reads as damaged: opened anew it may be whole.
        if (error instanceof StoreError && !isUnavailable(error)) isDamaged = true;
        throw error;
      } finally {
        opened.users -= 1;
        await closeUnused(opened);
      }
    },
    close: async (): Promise<void> => {
      await replacing;
      await current.cache.archive.close();
    },
  };
}

export type ArchiveSource = Awaited<ReturnType<typeof openArchiveSource>>;
