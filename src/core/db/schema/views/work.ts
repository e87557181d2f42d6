import { asText, moment } from "../sql/functions.ts";
import { sql } from "../sql/sql.ts";
import { sourceTables } from "../tables/content.ts";
import { workTables } from "../tables/work.ts";
import { accountColumns, asInteger, chain, columnsOf, hexText, integer, text, time, view, whole } from "../view.ts";

const chainColumn = { chain_id: integer("the chain; null before the first snapshot", chain) };

/** What was run, which accounts are read, and how far back nodes could be read. */
export const workViews = whole(
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

const ofChain = { chain_id: integer("the chain", chain) };

/** Who observed what, and where observers contradict each other. */
export const sourceViews = whole(
  view({
    name: "snapshot_sources",
    meaning:
      "Imported archives that contain a snapshot, and archive nodes that it was read from; a snapshot without a row was read only from the crawled node",
    of: "x",
    columns: {
      ...ofChain,
      ledger_version: integer("the snapshot"),
      source_kind: text("database, export, or node (an archive node)", "s.kind"),
      source_name: text("the file or directory, or the node's URL without credentials", "s.name"),
      accounts: integer("accounts that the archive covers, or that the archive node answered for"),
      new_accounts: integer("of these, accounts that were not covered before the import"),
      digest: text(
        "the archive's own digest of the snapshot; equals the digest in the view snapshots if coverage and content are equal",
        hexText("x.digest"),
      ),
      imported_at: time("when it was last imported, UTC", moment("s.imported_at")),
      source: integer("number of the archive or archive node", "x.source_id"),
    },
    from: sql`FROM _source_snapshots x JOIN _sources s ON s.id = x.source_id`,
  }),
  view({
    name: "findings",
    meaning: "Observations that contradict stored ones; the stored values stay",
    of: "d",
    columns: {
      ...ofChain,
      ledger_version: integer("first ledger version at which the two differ", "d.from_version"),
      ...columnsOf(sourceTables.all_findings, "to_version", "kind", "subject"),
      stored: text("the stored value, or absent"),
      found: text("the contradicting value, or absent"),
      origin: text("where it comes from: a node's URL or the imported file"),
      ...columnsOf(sourceTables.all_findings, "first_seen_at", "last_seen_at"),
    },
    from: sql`FROM _all_findings d`,
  }),
  view({
    name: "node_builds",
    meaning: "Builds of the nodes that were read; the same bytes can give a different ABI on a different build",
    of: "b",
    columns: {
      ...ofChain,
      ...columnsOf(sourceTables.builds, "node"),
      git_hash: text("the commit it reports to be built from; null if it reports none", asText(sql`nullif(b.git_hash, '')`)),
      build: text(
        "its way of printing ABIs: A (before 2024-08), B or C (before 2025-10) or D; null if no ABI was seen",
        asText(sql`nullif(b.build, '')`),
      ),
      ...columnsOf(sourceTables.builds, "first_seen_at", "last_seen_at"),
    },
    from: sql`FROM _builds b`,
  }),
);
