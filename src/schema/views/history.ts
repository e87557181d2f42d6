import { sealed } from "../sql/predicates.ts";
import { sql } from "../sql/sql.ts";
import { workTables } from "../tables/work.ts";
import { chain, columnsOf, hexText, integer, ledgerTimeOf, snapshotColumns, text, time, type ViewData, view } from "./view.ts";

export const historyViews: readonly ViewData[] = [
  view({
    name: "snapshots",
    meaning: "Sealed snapshots",
    of: "p",
    columns: {
      chain_id: integer("the chain", chain),
      ledger_version: integer("the ledger version that was read"),
      status: text("sealed, or sealed_with_gaps"),
      created_at: time("when it was begun, UTC"),
      ...columnsOf(workTables.all_snapshots, "sealed_at"),
      head_version: integer("newest version of the node when it was begun"),
      oldest_version: integer("oldest readable version of the node when it was begun"),
      ...columnsOf(workTables.all_snapshots, "accounts"),
      modules: integer("their modules"),
      ...columnsOf(workTables.all_snapshots, "changed_modules", "gaps"),
      digest: text(
        "SHA-256 over the sorted lines `address_long::module bytecode_sha256`; equal content has an equal digest",
        hexText("p.digest"),
      ),
      ...ledgerTimeOf(sql`p.ledger_version`),
    },
    from: sql`FROM _all_snapshots p WHERE ${sealed("p")}`,
  }),
  view({
    name: "gaps",
    meaning: "Accounts that a snapshot has no answer for, and why",
    of: "m",
    columns: {
      ...snapshotColumns,
      ledger_version: integer("the snapshot"),
      status: text("state of the snapshot: unsealed, sealed_with_gaps, or abandoned", "p.status"),
      ...columnsOf(workTables.all_gaps, "reason"),
      error_code: text("the node's error code; null if none"),
      http_status: integer("HTTP status of the last answer; null if there was none"),
      message: text("what the node or the network said"),
      ...columnsOf(workTables.all_gaps, "attempts", "is_final", "first_at", "last_at"),
      ...ledgerTimeOf(sql`m.ledger_version`),
    },
    from: sql`FROM _all_gaps m JOIN _all_snapshots p ON p.ledger_version = m.ledger_version JOIN _addresses a ON a.id = m.address_id`,
  }),
];
