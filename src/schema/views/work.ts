import { sql } from "../sql/sql.ts";
import { workTables } from "../tables/work.ts";
import { accountColumns, asInteger, chain, columnsOf, integer, type ViewData, view } from "./view.ts";

const chainColumn = { chain_id: integer("the chain; null before the first snapshot", chain) };

/** What was run, which accounts are read, and how far back nodes could be read. */
export const workViews: readonly ViewData[] = [
  view({
    name: "run_history",
    meaning: "Runs of the crawler: when they ran, how they ended and what they cost",
    of: "r",
    columns: {
      ...chainColumn,
      run: integer("number of the run", "r.id"),
      ...columnsOf(workTables.runs, "command", "app_version", "started_at", "finished_at", "exit", "ledger_version", "requests", "retries"),
      ...columnsOf(workTables.runs, "bytes_received", "accounts", "modules", "new_bytecodes", "gaps"),
    },
    from: sql`FROM _runs r`,
  }),
  view({
    name: "target_accounts",
    meaning: "Accounts on the list of targets, and those removed from it",
    of: "t",
    columns: {
      ...chainColumn,
      ...accountColumns,
      ...columnsOf(workTables.targets, "reason", "via", "depth", "added_at", "added_by", "label", "removed_at"),
    },
    from: sql`FROM _targets t JOIN _addresses a ON a.id = t.address_id`,
  }),
  view({
    name: "horizon_samples",
    meaning: "Newest and oldest readable versions that nodes reported, over time: how the horizon moved",
    of: "h",
    columns: {
      ...chainColumn,
      ...columnsOf(workTables.head_samples, "node", "sampled_at", "head_version"),
      oldest_version: integer("oldest readable version: the horizon"),
      readable_versions: integer("number of readable versions", asInteger(sql`h.head_version - h.oldest_version + 1`)),
    },
    from: sql`FROM _head_samples h`,
  }),
];
