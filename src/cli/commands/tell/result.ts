import { text, whole } from "../../../base/result/kinds.ts";
import { all, from, list, object, orNull } from "../../../base/result/object.ts";
import type { PlaceResult } from "../../../questions/tell/tell-alerts.ts";
import type { DeadWatch } from "../../../questions/watch/dead-watches.ts";
import type { WatchSummary } from "../../../questions/watch/judge-watches.ts";

export type Told = {
  readonly judged: WatchSummary | undefined;
  readonly places: readonly PlaceResult[];
  readonly untold: number;
  readonly dead: readonly DeadWatch[];
};

/** What `tell --json` prints. */
export const tellResult = object({
  watches: from("judged.watches", orNull(whole)),
  watches_dead: from("dead.length", whole),
  changes_judged: from("judged.judged", orNull(whole)),
  alerts: from("judged.alerts", orNull(whole)),
  told: from(({ places }: Told) => new Set(places.flatMap(({ told }) => told)).size, whole),
  waiting: from(({ places }: Told) => Math.max(0, ...places.map(({ waiting }) => waiting)), whole),
  alerts_untold: from("untold", whole),
  places_failed: from(({ places }: Told) => places.filter(({ fault }) => fault !== null).length, whole),
  places: list(object({ name: text, ...all(whole, "messages", "waiting"), fault: orNull(text), told: from("told.length", whole) })),
});
