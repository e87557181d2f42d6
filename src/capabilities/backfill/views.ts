import { asText, flag, moment } from "../../core/db/schema/sql/functions.ts";
import {
  coveredAfter,
  coveredAt,
  coveredBefore,
  includesVersion,
  moduleSpans,
  recordCoverage,
} from "../../core/db/schema/sql/predicates.ts";
import { type Sql, sql } from "../../core/db/schema/sql/sql.ts";
import { traceTables } from "../../core/db/schema/tables/time.ts";
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
  view,
  whole,
} from "../../core/db/schema/view.ts";

/** Whether an account's sequence number rose between two snapshots. If it did, the owner may have published something and reverted it. */
export function signedBetween(address: Sql, low: Sql, high: Sql): Sql {
  return sql`EXISTS (SELECT 1 FROM _account_spans r WHERE r.address_id = ${address} AND r.from_version > ${low} AND r.from_version <= ${high}
    AND r.sequence_number <> (SELECT p.sequence_number FROM _account_spans p WHERE p.address_id = ${address} AND p.from_version <= ${low}
      ORDER BY p.from_version DESC LIMIT 1))`;
}

const inferredColumns = {
  ...snapshotColumns,
  ledger_version: integer("a version requested from backfill, at which the account was not read"),
};
const around = {
  after_version: integer("the last snapshot before it that read the account", asInteger(sql`x.low`)),
  before_version: integer("the first snapshot after it that read the account", asInteger(sql`x.high`)),
  versions_apart: integer(
    "distance between these two in versions; the larger it is, the more may have changed and changed back",
    asInteger(sql`x.high - x.low`),
  ),
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

/** A version `b` with what became of it since backfill decided: where it left gaps, later runs may have filled them in the snapshot `p`. */
export const points = {
  from: sql`FROM _backfill_points b LEFT JOIN _all_snapshots p ON b.state = 'gaps' AND p.ledger_version = b.ledger_version AND p.sealed_at IS NOT NULL`,
  state: sql`CASE WHEN p.status = 'sealed' THEN 'observed' ELSE b.state END`,
  accountsRead: sql`coalesce(p.accounts, b.accounts_read)`,
};

/** The view of accounts that are inferred, for questions of others. */
export const inferredAccounts = sql`accounts_inferred`;

/** Older versions that were asked for, and what is inferred about them: kept apart from what was observed. */
export const backfillViews = whole(
  view({
    name: "backfill",
    meaning: "Older ledger versions requested from backfill, and the result of each",
    of: "b",
    columns: {
      chain_id: integer("the chain", chain),
      ...columnsOf(traceTables.backfill_points, "ledger_version", "wanted_time", "time_error_ms"),
      state: text("planned, refused, observed, inferred, gaps or lost", asText(points.state)),
      ...columnsOf(traceTables.backfill_points, "reason", "asked_at"),
      decided_at: time(
        "when the state was last set, UTC",
        moment(sql`CASE WHEN p.sealed_at > b.decided_at THEN p.sealed_at ELSE b.decided_at END`),
      ),
      accounts_read: integer("accounts read at this version", asInteger(points.accountsRead)),
      ...columnsOf(traceTables.backfill_points, "accounts_inferred"),
      ...ledgerTimeOf(sql`b.ledger_version`),
    },
    from: points.from,
  }),
  view({
    name: "accounts_inferred",
    meaning: "Accounts whose modules are inferred at a version requested from backfill: not read there, but equal before and after",
    of: "x",
    columns: {
      ...inferredColumns,
      ...around,
      is_record_equal: boolean(
        "whether the account's record is equal before and after too; if not, only its modules are inferred; null if one snapshot did not read it",
        flag(sql`CASE WHEN ${coveredAt(sql`x.address_id`, sql`x.low`, recordCoverage)}
        AND ${coveredAt(sql`x.address_id`, sql`x.high`, recordCoverage)}
        THEN NOT EXISTS (SELECT 1 FROM _account_spans s WHERE s.address_id = x.address_id
          AND ((s.from_version > x.low AND s.from_version <= x.high) OR (s.to_version >= x.low AND s.to_version < x.high))) END`),
      ),
    },
    from: sql`FROM (${inferred}) x JOIN _addresses a ON a.id = x.address_id`,
  }),
  view({
    name: "modules_inferred",
    meaning: "Modules inferred, not observed, at a version requested from backfill: the snapshots before and after have the same bytecode",
    of: "x",
    columns: {
      ...inferredColumns,
      module: text("name of the module", "s.name"),
      bytecode_sha256: text("SHA-256 of the bytecode, 64 hex digits", hexText("b.sha256")),
      ...around,
    },
    from: sql`FROM (${inferred}) x
      JOIN _addresses a ON a.id = x.address_id JOIN ${moduleSpans} s ON s.address_id = x.address_id AND ${includesVersion("s", "x.low")} JOIN _bytecodes b ON b.id = s.bytecode_id`,
  }),
);
