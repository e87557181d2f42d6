import { all, from, list, object, orNull, text, whole } from "../../../core/base/result.ts";
import type { WatchSummary } from "../judge/judge-watches.ts";
import type { DeadWatch } from "../judge/subjects.ts";
import type { PlaceResult } from "./tell-alerts.ts";

export type Told = {
  readonly judged: WatchSummary | undefined;
  readonly places: readonly PlaceResult[];
  readonly untold: number;
  readonly dead: readonly DeadWatch[];
};

/** How many alerts were told: one to several places counts once. */
export function countTold({ places }: Told): number {
  return new Set(places.flatMap(({ told }) => told)).size;
}

export function countWaiting({ places }: Told): number {
  return Math.max(0, ...places.map(({ waiting }) => waiting));
}

export const tellResult = object({
  watches: from("judged.watches", orNull(whole)),
  watches_dead: from("dead.length", whole),
  changes_judged: from("judged.judged", orNull(whole)),
  alerts: from("judged.alerts", orNull(whole)),
  told: from(countTold, whole),
  waiting: from(countWaiting, whole),
  alerts_untold: from("untold", whole),
  places_failed: from(({ places }: Told) => places.filter(({ fault }) => fault !== null).length, whole),
  places: list(object({ name: text, ...all(whole, "messages", "waiting"), fault: orNull(text), told: from("told.length", whole) })),
});
