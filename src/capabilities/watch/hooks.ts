import { type Metric, metricsOf } from "../../core/base/exposition.ts";
import { plural } from "../../core/base/plural.ts";
import type { Sealed, Warning } from "../../core/cli/hooks.ts";
import { moduleArchive } from "../../core/db/archive/read/module-archive.ts";
import type { Engine } from "../../core/db/engine/engine.ts";
import { sql } from "../../core/db/schema/sql/sql.ts";
import { MovedexError } from "../../core/errors.ts";
import { judgeChanges } from "../changes/judge/judge.ts";
import { deliveryQueries } from "./alerts/deliveries.ts";
import { watchQueries } from "./alerts/watches.ts";
import type { WatchSummary } from "./judge/judge-watches.ts";

/** Judges new changes once more for those who watch, as far as `changes` has judged them; undefined where nothing is watched. */
export async function judgeForWatches({ engine, path, clock, log }: Sealed): Promise<WatchSummary | undefined> {
  if ((await engine.first(sql`SELECT 1 FROM _watches LIMIT 1`)) === undefined) return undefined;
  // Most archives have no watch: what judges for them is loaded where one has.
  const { judgeWatches } = await import("./judge/judge-watches.ts");
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

/** Watches that can have no alert, and places that take none any more. */
export async function warningsOfWatches(engine: Engine, path: string): Promise<Warning[]> {
  const watches = await watchQueries(engine).listWatches();
  const found: string[] = [];
  if (watches.length > 0) {
    const { deadWatches } = await import("./judge/subjects.ts");
    for (const { id, subject, reason } of await deadWatches(moduleArchive(engine, path), watches))
      found.push(`watch ${id} of ${subject} hears nothing: ${reason}`);
  }
  for (const { channel, ended, waiting } of await deliveryQueries(engine).listPlaces())
    if (ended !== null) found.push(`the place ${channel} takes no alerts any more, ${waiting} waiting: ${ended.fault}`);
  return found.map((text) => ({ subject: "watches", text }));
}

export async function metricsOfPlaces(engine: Engine): Promise<Metric[]> {
  const perPlace = metricsOf("movedex", await deliveryQueries(engine).listPlaces(), ({ channel }) => ({ place: channel }));
  return [perPlace("alerts_waiting", "Alerts that wait for a place.", ({ waiting }) => waiting)];
}
