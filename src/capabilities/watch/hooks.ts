import type { Metric, Warning } from "../../core/cli/hooks.ts";
import { moduleArchive } from "../../core/db/archive/read/module-archive.ts";
import type { Engine } from "../../core/db/engine/engine.ts";
import { metricsOf } from "../monitoring/exposition.ts";
import { deliveryQueries } from "./alerts/deliveries.ts";
import { watchQueries } from "./alerts/watches.ts";

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
