import { flag } from "../sql/functions.ts";
import { holds, moduleSpans } from "../sql/predicates.ts";
import { joined, sql } from "../sql/sql.ts";
import { coveredAfter, coveredAt, coveredBefore, signedBetween } from "./covered.ts";
import {
  addressLong,
  asInteger,
  chain,
  hexText,
  integer,
  snapshotColumns,
  text,
  time,
  timeColumns,
  timeOf,
  timeValues,
  type ViewData,
} from "./view.ts";

const point = integer("a version requested from backfill, at which the account was not read");
const around = {
  after_version: integer("the last snapshot before it that read the account"),
  before_version: integer("the first snapshot after it that read the account"),
  versions_apart: integer("distance between these two in versions; the larger it is, the more may have changed and changed back"),
};

// Accounts not covered at a wanted version, if the snapshots on both sides have the same listing, are close enough together for backfill,
// and have the same sequence number if it is known. Over any distance, only the modules count.
const account = sql`t.address_id`;
const version = sql`b.ledger_version`;
const inferred = sql`SELECT b.ledger_version, y.address_id, y.low, y.high FROM _backfill_points b JOIN (
    SELECT b.ledger_version, t.address_id, ${coveredBefore(account, version)} AS low, ${coveredAfter(account, version)} AS high
    FROM _backfill_points b JOIN (SELECT DISTINCT address_id FROM _coverage) t ON true WHERE NOT ${coveredAt(account, version)}
  ) y ON y.ledger_version = b.ledger_version
  WHERE y.low IS NOT NULL AND y.high IS NOT NULL AND (b.inferred_within IS NULL
      OR (y.high - y.low <= b.inferred_within AND NOT ${signedBetween(sql`y.address_id`, sql`y.low`, sql`y.high`)})) AND NOT EXISTS (SELECT 1 FROM _listing_spans s WHERE s.address_id = y.address_id
    AND s.from_version > y.low AND s.from_version <= y.high)`;

const sides = joined(
  [
    sql`${asInteger(sql`x.low`)} AS after_version`,
    sql`${asInteger(sql`x.high`)} AS before_version`,
    sql`${asInteger(sql`x.high - x.low`)} AS versions_apart`,
  ],
  ", ",
);
const head = sql`SELECT ${chain}, x.ledger_version, a.address, ${addressLong} AS address_long`;

/** Older versions that were asked for, and what is inferred about them: kept apart from what was observed. */
export const backfillViews: readonly ViewData[] = [
  {
    name: "backfill",
    meaning: "Older ledger versions requested from backfill, and the result of each",
    columns: {
      chain_id: integer("the chain"),
      ledger_version: integer("the ledger version"),
      wanted_time: time("the requested moment, UTC; null if a version was requested"),
      time_error_ms: integer("estimated distance of its own time from that moment in milliseconds; null if wanted_time is null"),
      state: text("planned, refused, observed, inferred, gaps or lost"),
      reason: text("why it is refused or lost; null otherwise"),
      asked_at: time("when it was first requested, UTC"),
      decided_at: time("when the state was last set, UTC"),
      accounts_read: integer("accounts read at this version"),
      accounts_inferred: integer("accounts not read because the snapshots before and after agree on their modules"),
      ...timeColumns,
    },
    select: sql`SELECT ${chain}, b.ledger_version, ${timeOf("b.wanted_time")} AS wanted_time, b.time_error_ms, b.state, b.reason,
      ${timeOf("b.asked_at")} AS asked_at, ${timeOf("b.decided_at")} AS decided_at, b.accounts_read, b.accounts_inferred,
      ${timeValues(sql`b.ledger_version`)} FROM _backfill_points b`,
  },
  {
    name: "accounts_inferred",
    meaning: "Accounts whose modules are inferred at a version requested from backfill: not read there, but equal before and after",
    columns: {
      ...snapshotColumns,
      ledger_version: point,
      ...around,
      is_record_equal: {
        type: "boolean",
        meaning:
          "whether the account's record is equal before and after too; if not, only its modules are inferred; null if one snapshot did not read it",
      },
    },
    select: sql`${head}, ${sides}, ${flag(sql`CASE WHEN ${coveredAt(sql`x.address_id`, sql`x.low`, "_record_coverage")}
        AND ${coveredAt(sql`x.address_id`, sql`x.high`, "_record_coverage")}
        THEN NOT EXISTS (SELECT 1 FROM _account_spans s WHERE s.address_id = x.address_id
          AND ((s.from_version > x.low AND s.from_version <= x.high) OR (s.to_version >= x.low AND s.to_version < x.high))) END`)} AS is_record_equal
      FROM (${inferred}) x JOIN _addresses a ON a.id = x.address_id`,
  },
  {
    name: "modules_inferred",
    meaning: "Modules inferred, not observed, at a version requested from backfill: the snapshots before and after have the same bytecode",
    columns: {
      ...snapshotColumns,
      ledger_version: point,
      module: text("name of the module"),
      bytecode_sha256: text("SHA-256 of the bytecode, 64 hex digits"),
      ...around,
    },
    select: sql`${head}, s.name AS module, ${hexText("b.sha256")} AS bytecode_sha256, ${sides} FROM (${inferred}) x
      JOIN _addresses a ON a.id = x.address_id JOIN ${moduleSpans} s ON s.address_id = x.address_id AND ${holds("s", "x.low")} JOIN _bytecodes b ON b.id = s.bytecode_id`,
  },
];
