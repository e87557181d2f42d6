import { greatest, least } from "../sql/functions.ts";
import { includesVersion, sealed } from "../sql/predicates.ts";
import { type Sql, sql } from "../sql/sql.ts";

/** The coverage of accounts and their modules, and that of their records; read like tables. */
export const coverage: Sql = sql`_coverage`;
export const recordCoverage: Sql = sql`(SELECT address_id, from_version, to_version FROM _coverage WHERE reads_record)`;

// A coverage run that ends short of the version's neighbour among all snapshots ends at a snapshot of its own.

/** The newest sealed snapshot that covers an account and lies before a version; null when there is none. */
export function coveredBefore(address: Sql, version: Sql, of: Sql = coverage): Sql {
  return sql`(SELECT max(p.ledger_version) FROM _all_snapshots p WHERE ${sealed("p")} AND p.ledger_version <= (
    SELECT ${least(sql`coalesce(c.to_version, ${version} - 1)`, sql`${version} - 1`)} FROM ${of} c
    WHERE c.address_id = ${address} AND c.from_version < ${version} ORDER BY c.from_version DESC LIMIT 1))`;
}

export function coveredAfter(address: Sql, version: Sql, of: Sql = coverage): Sql {
  return sql`(SELECT min(p.ledger_version) FROM _all_snapshots p WHERE ${sealed("p")} AND p.ledger_version >= (
    SELECT ${greatest("c.from_version", sql`${version} + 1`)} FROM ${of} c
    WHERE c.address_id = ${address} AND (c.to_version IS NULL OR c.to_version > ${version}) ORDER BY c.from_version LIMIT 1))`;
}

/** The first sealed snapshot after a version, whatever it covers; null when there is none. */
export function sealedAfter(version: Sql): Sql {
  return sql`(SELECT min(p.ledger_version) FROM _all_snapshots p WHERE ${sealed("p")} AND p.ledger_version > ${version})`;
}

export function coveredAt(address: Sql, version: Sql, of: Sql = coverage): Sql {
  return sql`EXISTS (SELECT 1 FROM _all_snapshots p JOIN ${of} c ON ${includesVersion("c", "p.ledger_version")}
    WHERE p.ledger_version = ${version} AND ${sealed("p")} AND c.address_id = ${address})`;
}

/** Whether an account's sequence number rose between two snapshots. If it did, the owner may have published something and reverted it. */
export function signedBetween(address: Sql, low: Sql, high: Sql): Sql {
  return sql`EXISTS (SELECT 1 FROM _account_spans r WHERE r.address_id = ${address} AND r.from_version > ${low} AND r.from_version <= ${high}
    AND r.sequence_number <> (SELECT p.sequence_number FROM _account_spans p WHERE p.address_id = ${address} AND p.from_version <= ${low}
      ORDER BY p.from_version DESC LIMIT 1))`;
}
