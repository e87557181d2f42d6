import { asText } from "../sql/functions.ts";
import { sql } from "../sql/sql.ts";
import { chain, hexText, integer, text, time, timeOf, type ViewData } from "./view.ts";

/** Who observed what, and where observers contradict each other. */
export const sourceViews: readonly ViewData[] = [
  {
    name: "snapshot_sources",
    meaning:
      "Imported archives that contain a snapshot, and archive nodes that it was read from; a snapshot without a row was read only from the crawled node",
    columns: {
      chain_id: integer("the chain"),
      ledger_version: integer("the snapshot"),
      source_kind: text("database, export, or node (an archive node)"),
      source_name: text("the file or directory, or the node's URL without credentials"),
      accounts: integer("accounts that the archive covers, or that the archive node answered for"),
      new_accounts: integer("of these, accounts that were not covered before the import"),
      digest: text("the archive's own digest of the snapshot; equals the digest in the view snapshots if coverage and content are equal"),
      imported_at: time("when it was last imported, UTC"),
    },
    select: sql`SELECT ${chain}, x.ledger_version, s.kind AS source_kind, s.name AS source_name, x.accounts, x.new_accounts, ${hexText("x.digest")} AS digest,
      ${timeOf("s.imported_at")} AS imported_at FROM _source_snapshots x JOIN _sources s ON s.id = x.source_id`,
  },
  {
    name: "findings",
    meaning: "Observations that contradict stored ones; the stored values stay",
    columns: {
      chain_id: integer("the chain"),
      ledger_version: integer("first ledger version at which the two differ"),
      to_version: integer("last ledger version at which they differ in the same way"),
      kind: text(
        "what is contradicted: module, account, module_probe, account_probe, node_abi, module_name (a node sent bytes under a different name), or module_size (a node sent more than any chain stores)",
      ),
      subject: text("the account or module (0x1::coin), or for node_abi the bytecode's SHA-256"),
      stored: text("the stored value, or absent"),
      found: text("the contradicting value, or absent"),
      origin: text("where it comes from: a node's URL or the imported file"),
      first_seen_at: time("when it was first seen, UTC"),
      last_seen_at: time("when it was last seen, UTC"),
    },
    select: sql`SELECT ${chain}, d.from_version AS ledger_version, d.to_version, d.kind, d.subject, d.stored, d.found, d.origin,
      ${timeOf("d.first_seen_at")} AS first_seen_at, ${timeOf("d.last_seen_at")} AS last_seen_at FROM _disagreements d`,
  },
  {
    name: "node_builds",
    meaning: "Builds of the nodes that were read; the same bytes can give a different ABI on a different build",
    columns: {
      chain_id: integer("the chain"),
      node: text("the node's URL without credentials"),
      git_hash: text("the commit it reports to be built from; null if it reports none"),
      build: text("its way of printing ABIs: A (before 2024-08), B or C (before 2025-10) or D; null if no ABI was seen"),
      first_seen_at: time("when it was first seen, UTC"),
      last_seen_at: time("when it was last seen, UTC"),
    },
    select: sql`SELECT ${chain}, b.node, ${asText(sql`nullif(b.git_hash, '')`)} AS git_hash, ${asText(sql`nullif(b.build, '')`)} AS build, ${timeOf("b.first_seen_at")} AS first_seen_at,
      ${timeOf("b.last_seen_at")} AS last_seen_at FROM _builds b`,
  },
];
