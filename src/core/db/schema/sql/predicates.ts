import { greatest, least } from "./functions.ts";
import { type Expression, named, type Sql, sql, toSql } from "./sql.ts";

/** That a row of the snapshots is a sealed one: `WHERE ${sealed("p")}`. */
export function sealed(alias: string): Sql {
  return sql`${named(alias)}.status IN ('sealed', 'sealed_with_gaps')`;
}

/** Whether a span (a row with `from_version` and a nullable `to_version`) has a version: `WHERE ${includesVersion("s", ":version")}`. */
export function includesVersion(span: string, version: Expression): Sql {
  const at = toSql(version);
  return sql`${named(span)}.from_version <= ${at} AND (${named(span)}.to_version IS NULL OR ${named(span)}.to_version >= ${at})`;
}

/** A stored declaration put together: the name last, since only an ABI from a node can have anything in it. */
export const declared = (declaration: Sql, address: Sql, name: Sql): Sql =>
  sql`replace(replace(${declaration}, '~', ${address} || '::'), '!', ${name})`;

/** The declaration of the row `of` of _functions. */
export function signatureOf(of: string): Sql {
  const fn = named(of);
  return sql`(SELECT ${declared(sql`ft.declaration`, sql`fa.address`, sql`${fn}.name`)} FROM _signatures ft, _modules fm, _addresses fa
    WHERE ft.id = ${fn}.signature_id AND fm.id = ${fn}.module_id AND fa.id = fm.address_id)`;
}

/** A version after every other: LEDGER_VERSION_MAX (`src/core/base/numbers.ts`), the largest that a column holds. */
export const lastVersion: Sql = sql`9223372036854775807`;

/** Gives addresses of `from`, a table or query with a column `address`, their rows, in the order of addresses. */
export function internAddresses(from: Sql): Sql {
  return sql`INSERT INTO _addresses (address) SELECT n.address FROM ${from} AS n
  WHERE NOT EXISTS (SELECT 1 FROM _addresses a WHERE a.address = n.address) ORDER BY length(n.address), n.address ON CONFLICT DO NOTHING`;
}

/**
 * The modules of accounts over stretches of snapshots, read like a table: `address_id`, `name`, `from_version`, `to_version`,
 * `listing_id`, `bytecode_id`. A stretch ends where any module of the account changes.
 */
export const moduleSpans: Sql = sql`(SELECT ls.address_id, lm.name, ls.from_version, ls.to_version, ls.listing_id, lm.bytecode_id FROM _listing_spans ls JOIN _listing_modules lm ON lm.listing_id = ls.listing_id)`;

/**
 * The numbers (`id`) of bytecodes whose rows are still to come, or were deleted with all others: what answers from rows lacks them. The
 * rows of all can be deleted at any time; the next command that writes makes them again.
 */
export const rowless = sql`(SELECT id FROM _bytecodes WHERE derived_by IS NULL
  UNION ALL SELECT id FROM _bytecodes WHERE abi_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM _abis))`;

/** The number of bytecodes without rows. */
export const countRowless = sql`SELECT count(*) FROM ${rowless} AS b`;

/** Whether the types of what stands are still to be counted. */
export const uncounted = sql`SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM _type_counts)
  AND EXISTS (SELECT 1 FROM _listing_spans WHERE to_version IS NULL AND listing_id IS NOT NULL)`;

/** The coverage of accounts and their modules, and that of their records; read like tables. */
export const coverage: Sql = sql`_coverage`;
export const recordCoverage: Sql = sql`(SELECT address_id, from_version, to_version FROM _coverage WHERE reads_record)`;

// A stretch without an end reaches to the newest snapshot, and what stands without an end stands at the newest that covers the account.
const newestSealed = sql`(SELECT max(p.ledger_version) FROM _all_snapshots p WHERE ${sealed("p")})`;

/** The newest snapshot that a table of stretches `c` has the account `t.address_id` in, of the stretches of `which`; null without one. */
export const newestOf = (
  table: Sql,
  which = sql`TRUE`,
): Sql => sql`(SELECT coalesce(c.to_version, ${newestSealed}) FROM ${table} c WHERE c.address_id = t.address_id AND ${which}
    ORDER BY c.from_version DESC LIMIT 1)`;

/** The newest version at which each account was asked for in vain, where there is one; read like a table. */
export const failedVisits: Sql = sql`(SELECT address_id, max(ledger_version) AS newest FROM _all_gaps WHERE attempts > 0 GROUP BY address_id)`;

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
