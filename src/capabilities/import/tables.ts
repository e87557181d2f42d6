import { bytes, checksum, int, ofSnapshot, reference, text, time } from "../../core/db/schema/column.ts";
import { sql } from "../../core/db/schema/sql/sql.ts";
import { tablesOf } from "../../core/db/schema/table.ts";

/** Where content came from besides the database's own crawls. */
export const sourceTables = tablesOf({
  sources: {
    meaning: "Imported archives, and archive nodes that answered version 0.1.0",
    columns: {
      id: int("number of the source"),
      kind: text("database, export, modules (a folder of bytecode files), or node (an archive node)"),
      name: text("the file or directory, or the node's URL without credentials, made printable"),
      digest: text("SHA-256 of its content, so that importing the same content again is the same source; for a node, SHA-256 of its URL"),
      imported_at: time("when it was last imported or read"),
      checksum,
    },
    indexes: [{ columns: ["kind", "digest"], unique: true }],
  },
  source_snapshots: {
    meaning: "What each imported archive, or archive node of version 0.1.0, has of a snapshot; one without a row was only read by runs",
    columns: {
      ledger_version: ofSnapshot,
      source_id: {
        ...reference("_sources", "the archive"),
        countsAs: {
          name: "source_id",
          text: sql`(SELECT named.digest FROM _sources AS named WHERE named.id = _source_snapshots.source_id)`,
        },
      },
      accounts: int("accounts that it covers"),
      new_accounts: int("of these, accounts that were not covered at that version before the first import"),
      digest: bytes(
        "its own digest of the snapshot, computed from its content; for a node, the snapshot's digest once it is sealed, zeros until then",
      ),
      checksum,
    },
    key: ["ledger_version", "source_id"],
  },
});
