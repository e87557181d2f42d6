import { versionsKept, versionTimes } from "../sql/ledger-time.ts";
import { backfillViews } from "./backfill.ts";
import { changeViews } from "./changes.ts";
import { countViews } from "./counts.ts";
import { coverageViews, historyViews } from "./coverage.ts";
import { heldViews, snapshotViews } from "./modules.ts";
import { integer, time, type ViewData } from "./view.ts";
import { watchViews } from "./watch.ts";
import { sourceViews, workViews } from "./work.ts";

/** Every view of a movedex database; `…_latest` and `…_history` beside each `…_at`. Views come after those they are made from. */
export const viewList: readonly ViewData[] = [
  ...snapshotViews,
  ...countViews,
  ...changeViews,
  ...historyViews,
  ...heldViews,
  ...coverageViews,
  ...backfillViews,
  ...sourceViews,
  ...watchViews,
  ...workViews,
];

const version = integer("the ledger version");

/** Views that others are made from, and that nobody asks by themselves; in the order in which they can be made. */
export const internalViews: readonly ViewData[] = [
  {
    name: "_versions",
    meaning: "All ledger versions that the archive speaks of",
    columns: { ledger_version: version },
    select: versionsKept,
  },
  {
    name: "_version_times",
    meaning: "When the ledger made each of these, as far as it is known",
    columns: {
      ledger_version: version,
      ledger_time: time("when it was made; before the oldest known time an estimate; null when nothing bounds it"),
      ms: integer("the same in milliseconds since 1970, or null"),
      error_ms: integer("how far the true time may lie from it, in milliseconds; null when the time is"),
    },
    select: versionTimes,
  },
];
