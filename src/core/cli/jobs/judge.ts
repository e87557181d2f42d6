import { judgeChanges } from "../../../capabilities/changes/judge/judge.ts";
import type { WatchSummary } from "../../../capabilities/watch/judge/judge-watches.ts";
import type { Log } from "../../base/log.ts";
import { plural } from "../../base/plural.ts";
import type { Engine } from "../../db/engine/engine.ts";
import { sql } from "../../db/schema/sql/sql.ts";
import { MovedexError } from "../../errors.ts";
import type { Io } from "../io.ts";

/**
 * Judges a run's changes, and again for those who watch, through the run's own open store. A failure here fails no run: the next one judges
 * them.
 */
export async function judgeNewChanges(
  engine: Engine,
  path: string,
  io: Io,
  log: Log,
  signal?: AbortSignal,
): Promise<WatchSummary | undefined> {
  try {
    await judgeChanges(engine, signal);
    if ((await engine.first(sql`SELECT 1 FROM _watches LIMIT 1`)) === undefined) return undefined;
    // Most archives have no watch: what judges for them is loaded where one has.
    const { moduleArchive } = await import("../../db/archive/read/module-archive.ts");
    const { judgeWatches } = await import("../../../capabilities/watch/judge/judge-watches.ts");
    const judged = await judgeWatches(moduleArchive(engine, path), io.clock.now);
    if (judged.alerts > 0) log("info", `${plural(judged.alerts, "alert")} raised`, { alerts: judged.alerts });
    return judged;
  } catch (error) {
    if (!(error instanceof MovedexError)) throw error;
    log("warn", `changes could not be judged; the next run tries again: ${error.message}`, { code: error.code });
    return undefined;
  }
}
