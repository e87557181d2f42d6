import { moment } from "../../core/db/schema/sql/functions.ts";
import { sql } from "../../core/db/schema/sql/sql.ts";
import { chain, hexText, integer, text, time, view, whole } from "../../core/db/schema/view.ts";

export const sourceViews = whole(
  view({
    name: "snapshot_sources",
    meaning:
      "Imported archives that contain a snapshot, and archive nodes that version 0.1.0 read it from; one without a row was only read by runs",
    of: "x",
    columns: {
      chain_id: integer("the chain", chain),
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
);
