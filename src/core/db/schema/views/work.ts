import { asText } from "../sql/functions.ts";
import { sql } from "../sql/sql.ts";
import { observerTables } from "../tables/content.ts";
import { workTables } from "../tables/work.ts";
import { accountColumns, asInteger, chain, columnsOf, integer, text, view, whole } from "../view.ts";

const ofChain = { chain_id: integer("the chain", chain) };
const chainColumn = { chain_id: integer("the chain; null before the first snapshot", chain) };

/** Who observed what and contradicts whom, what was run, which accounts are read, and how far back nodes could be read. */
export const workViews = whole(
  view({
    name: "findings",
    meaning: "Observations that contradict stored ones; the stored values stay",
    of: "d",
    columns: {
      ...ofChain,
      ledger_version: integer("first ledger version at which the two differ", "d.from_version"),
      ...columnsOf(observerTables.all_findings, "to_version", "kind", "subject"),
      stored: text("the stored value, or absent"),
      found: text("the contradicting value, or absent"),
      origin: text("where it comes from: a node's URL or the imported file"),
      ...columnsOf(observerTables.all_findings, "first_seen_at", "last_seen_at"),
    },
    from: sql`FROM _all_findings d`,
  }),
  view({
    name: "node_builds",
    meaning: "Builds of the nodes that were read; the same bytes can give a different ABI on a different build",
    of: "b",
    columns: {
      ...ofChain,
      ...columnsOf(observerTables.builds, "node"),
      git_hash: text("the commit it reports to be built from; null if it reports none", asText(sql`nullif(b.git_hash, '')`)),
      build: text(
        "its way of printing ABIs, as version 0.1.0 saw it: A (before 2024-08), B or C (before 2025-10) or D; else null",
        asText(sql`nullif(b.build, '')`),
      ),
      ...columnsOf(observerTables.builds, "first_seen_at", "last_seen_at"),
    },
    from: sql`FROM _builds b`,
  }),
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
      sample: integer("number of the sample", "h.id"),
    },
    from: sql`FROM _head_samples h`,
  }),
);
