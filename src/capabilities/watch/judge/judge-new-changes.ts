import { plural } from "../../../core/base/plural.ts";
import type { Sealed } from "../../../core/cli/hooks.ts";
import { sql } from "../../../core/db/schema/sql/sql.ts";
import { MovedexError } from "../../../core/errors.ts";
import { judgeChanges } from "../../changes/judge/judge.ts";
import type { WatchSummary } from "./judge-watches.ts";

/** Judges new changes once more for those who watch, as far as `changes` has judged them; undefined where nothing is watched. */
export async function judgeForWatches({ engine, path, clock, log }: Sealed): Promise<WatchSummary | undefined> {
  if ((await engine.first(sql`SELECT 1 FROM _watches LIMIT 1`)) === undefined) return undefined;
  // Most archives have no watch: what judges for them is loaded where one has.
  const { moduleArchive } = await import("../../../core/db/archive/read/module-archive.ts");
  const { judgeWatches } = await import("./judge-watches.ts");
  const judged = await judgeWatches(moduleArchive(engine, path), clock.now);
  if (judged.alerts > 0) log("info", `${plural(judged.alerts, "alert")} raised`, { alerts: judged.alerts });
  return judged;
}

/** Judges what no run has judged. A failure is a warning: the next run tries again. */
export async function judgeNewChanges(sealed: Sealed): Promise<WatchSummary | undefined> {
  try {
    await judgeChanges(sealed.engine, sealed.signal);
    return await judgeForWatches(sealed);
  } catch (error) {
    if (!(error instanceof MovedexError)) throw error;
    sealed.log("warn", `changes could not be judged; the next run tries again: ${error.message}`, { code: error.code });
    return undefined;
  }
}
