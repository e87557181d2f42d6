import { backfillViews } from "./backfill.ts";
import { changeViews } from "./changes.ts";
import { coverageViews } from "./coverage.ts";
import { heldViews } from "./held.ts";
import { historyViews } from "./history.ts";
import { snapshotViews } from "./modules.ts";
import { sourceViews } from "./sources.ts";
import type { ViewData } from "./view.ts";
import { watchViews } from "./watch.ts";
import { workViews } from "./work.ts";

/** Every view of a movedex database; `…_latest` and `…_history` beside each `…_at`. Views come after those they are made from. */
export const viewList: readonly ViewData[] = [
  ...snapshotViews,
  ...changeViews,
  ...historyViews,
  ...heldViews,
  ...coverageViews,
  ...backfillViews,
  ...sourceViews,
  ...watchViews,
  ...workViews,
];
