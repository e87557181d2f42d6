import { backfillViews } from "./capabilities/backfill/views.ts";
import { changeViews, internalChangeViews } from "./capabilities/changes/views.ts";
import { sourceViews } from "./capabilities/import/views.ts";
import { countViews } from "./capabilities/uses/views.ts";
import { watchViews } from "./capabilities/watch/views.ts";
import type { ViewData } from "./core/db/schema/view.ts";

/** The views that capabilities bring, each after those that it is made from. A name with an underscore is for other views alone. */
export const capabilityViews: Readonly<Record<string, readonly ViewData[]>> = {
  backfill: backfillViews,
  uses: countViews,
  changes: [...internalChangeViews, ...changeViews],
  import: sourceViews,
  watch: watchViews,
};
