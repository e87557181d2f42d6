import { openModuleArchive } from "../../archive/read/module-archive.ts";
import type { Log } from "../../base/log.ts";
import { plural } from "../../base/plural.ts";
import { MovedexError } from "../../errors.ts";
import { judgeWatches, type WatchSummary } from "../../questions/watch/judge-watches.ts";
import type { Store } from "../../work/store.ts";
import type { Io } from "../io.ts";

/**
 * Judges a run's changes, and again for those who watch, through the run's own open store. A failure here fails no run: the next one judges
 * them.
 */
export async function judgeAfter(store: Store, path: string, io: Io, log: Log, signal?: AbortSignal): Promise<WatchSummary | undefined> {
  try {
    await store.judgeChanges(signal);
    if ((await store.listWatches()).length === 0) return undefined;
    await using archive = await openModuleArchive(path);
    const judged = await judgeWatches(archive, store, io.clock.now);
    if (judged.alerts > 0) log("info", `${plural(judged.alerts, "alert")} raised`, { alerts: judged.alerts });
    return judged;
  } catch (error) {
    if (!(error instanceof MovedexError)) throw error;
    log("warn", `changes could not be judged; the next run tries again: ${error.message}`, { code: error.code });
    return undefined;
  }
}
