import { flag } from "../sql/functions.ts";
import { includesVersion, moduleSpans, sealed, sealedAfter } from "../sql/predicates.ts";
import { type Sql, sql } from "../sql/sql.ts";
import { workTables } from "../tables/work.ts";
import {
  asInteger,
  boolean,
  chain,
  columnsOf,
  hexText,
  integer,
  ledgerTimeOf,
  snapshotColumns,
  text,
  time,
  type ViewData,
  view,
} from "../view.ts";
import { asStretches } from "./state-views.ts";

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

const countWhere = (condition: Sql): Sql =>
  asInteger(sql`(SELECT count(1) FROM _bytecodes b JOIN ${moduleSpans} s ON s.bytecode_id = b.id AND ${includesVersion("s", "p.ledger_version")}
    JOIN _coverage c ON c.address_id = s.address_id AND ${includesVersion("c", "p.ledger_version")} WHERE ${condition})`);

/** How much of the chain an answer is about. */
export const coverageViews: readonly ViewData[] = [
  view({
    name: "snapshot_coverage",
    meaning: "How many accounts each sealed snapshot read, missed and never read; this limits every answer about who uses something",
    of: "p",
    columns: {
      chain_id: integer("the chain", chain),
      ledger_version: integer("the sealed snapshot"),
      accounts_read: integer("accounts that answered", "p.accounts"),
      modules_read: integer("their modules", "p.modules"),
      modules_undecoded: integer(
        "of these, modules whose bytes could not be decoded; their contents are unknown",
        countWhere(sql`b.abi_id IS NULL AND b.derived_by IS NOT NULL`),
      ),
      modules_underived: integer(
        "of these, stored modules whose rows are not derived yet; views of functions, structs and so on do not show them",
        countWhere(sql`b.derived_by IS NULL`),
      ),
      gaps: integer("accounts without an answer; the view gaps has the reasons"),
      accounts_elsewhere: integer(
        "accounts that only other snapshots read",
        asInteger(sql`(SELECT count(1) FROM _addresses a WHERE EXISTS (SELECT 1 FROM _coverage c WHERE c.address_id = a.id)) - p.accounts`),
      ),
      accounts_never_read: integer(
        "accounts that stored bytecode refers to and no snapshot has read",
        asInteger(sql`(SELECT count(DISTINCT m.address_id) FROM _modules m
        WHERE NOT EXISTS (SELECT 1 FROM _coverage c WHERE c.address_id = m.address_id))`),
      ),
      accounts_passed_over: integer(
        "targets left to other nights because of the budget; covered_latest has their newest state",
        asInteger(sql`coalesce(p.passed_over, 0)`),
      ),
      records_read: integer(
        "accounts whose record was read too; of the others the snapshot has only the modules",
        asInteger(sql`p.records`),
      ),
      ...ledgerTimeOf(sql`p.ledger_version`),
    },
    from: sql`FROM _all_snapshots p WHERE ${sealed("p")}`,
  }),
  view({
    name: "coverage_history",
    meaning: "Stretches of sealed snapshots that have an answer about an account; join it to another history, so that a gap is no answer",
    of: "x",
    columns: asStretches(
      {
        ...snapshotColumns,
        is_record_read: boolean(
          "whether these snapshots read the account's record too, not only its modules; without a row of accounts_history it then has none",
          flag(sql`CASE WHEN x.reads_record THEN TRUE ELSE FALSE END`),
        ),
      },
      sql`x.from_version`,
      sealedAfter(sql`x.to_version`),
    ),
    from: sql`FROM _coverage x JOIN _addresses a ON a.id = x.address_id`,
  }),
];
