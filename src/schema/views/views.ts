import { u64 } from "../sql/functions.ts";
import { versionsKept, versionTimes } from "../sql/ledger-time.ts";
import { sql } from "../sql/sql.ts";
import { backfillViews } from "./backfill.ts";
import { changeViews } from "./changes.ts";
import { coverageViews, historyViews } from "./coverage.ts";
import { heldViews, snapshotViews } from "./modules.ts";
import { integer, time, u64Column, type ViewData } from "./view.ts";
import { watchViews } from "./watch.ts";
import { sourceViews, workViews } from "./work.ts";

/** Every view of a movedex database; `…_latest` and `…_history` beside each `…_at`. Views come after those they are made from. */
export const viewList: readonly ViewData[] = [
  ...snapshotViews,
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
  {
    name: "_account_numbers",
    meaning: "Sequence numbers of account records",
    columns: {
      address_id: integer("the account"),
      from_version: version,
      sequence_number: u64Column("the sequence number"),
    },
    select: sql`SELECT s.address_id, s.from_version, ${u64("s.sequence_number")} AS sequence_number FROM _account_spans s`,
  },
  {
    name: "_error_numbers",
    meaning: "Codes of error maps",
    columns: { id: integer("the row of the error"), code: u64Column("the reason") },
    select: sql`SELECT e.id, ${u64("e.code")} AS code FROM _error_codes e`,
  },
];
