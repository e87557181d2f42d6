import { sealed } from "../sql/predicates.ts";
import { named, sql } from "../sql/sql.ts";
import { backfillViews } from "./backfill.ts";
import { changeViews } from "./changes.ts";
import { coverageViews, coveredView } from "./coverage.ts";
import { historyViews } from "./history.ts";
import { snapshotViews } from "./modules.ts";
import { sourceViews } from "./sources.ts";
import type { ViewData } from "./view.ts";
import { workViews } from "./work.ts";

const latest = (view: ViewData): ViewData => ({
  name: view.name.replace(/_at$/, "_latest"),
  meaning: `${view.meaning.replace(/ at each sealed snapshot$/, "")}, at the newest sealed snapshot`,
  columns: view.columns,
  select: sql`SELECT * FROM ${named(view.name)} WHERE ledger_version = (SELECT max(p.ledger_version) FROM pins p WHERE ${sealed("p")})`,
});

/** Every view of a movedex database; `…_latest` beside each `…_at`. Views come after those they are made from. */
export const viewList: readonly ViewData[] = [
  ...[...snapshotViews, coveredView].flatMap((view) => [view, latest(view)]),
  ...changeViews,
  ...historyViews,
  ...coverageViews,
  ...backfillViews,
  ...sourceViews,
  ...workViews,
];
