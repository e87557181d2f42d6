import type { Engine } from "../../../core/db/engine/engine.ts";
import { orNull, rowOf, text, version, whole } from "../../../core/db/engine/row-shape.ts";
import { jsonEach } from "../../../core/db/schema/sql/functions.ts";
import { coverage, includesVersion, recordCoverage } from "../../../core/db/schema/sql/predicates.ts";
import { type Sql, sql } from "../../../core/db/schema/sql/sql.ts";
import type { Address } from "../../../core/move/address.ts";
import { inferredAccounts } from "../../backfill/views.ts";

/** What there is of an account from one version to another: `code` is its modules without its record, a gap has its reason. */
const mark = rowOf({
  address: text<Address>("address"),
  kind: text<"inferred" | "code" | "read" | "gap">("kind"),
  from: version("from_version"),
  /** Null up to the newest. */
  to: orNull(version("to_version")),
  reason: orNull(text("reason")),
});

export type CoverageMark = ReturnType<typeof mark.read>;

const listedAccount = rowOf({
  address: text<Address>("a.address"),
  /** How it stands at the last snapshot: a gap, not asked about, or read. */
  state: text<"gap" | "out" | "read">("CASE k.state WHEN 0 THEN 'gap' WHEN 2 THEN 'read' ELSE 'out' END"),
  /** When it was taken off the list of targets, milliseconds since 1970. */
  removedAt: orNull(whole("t.removed_at")),
  total: whole("CASE WHEN :account::text IS NULL THEN (SELECT count(*) FROM known) ELSE 1 END"),
});

export type ListedAccount = Omit<ReturnType<typeof listedAccount.read>, "total">;

const asked = sql`(SELECT CAST(e.value AS bigint) AS version FROM ${jsonEach(":versions::json", "e")})`;
// Of the tables themselves, each read once: the views spell each account out at every snapshot, which ten thousand accounts make
// seconds of. What is known of an account at another version or as a target alone has the largest number.
const accounts = sql`WITH asked AS MATERIALIZED ${asked}, known AS MATERIALIZED (SELECT id, min(state) AS state FROM (
    SELECT c.address_id AS id, CASE WHEN ${includesVersion("c", ":newest")} THEN 2 ELSE 3 END AS state FROM _coverage c
      WHERE EXISTS (SELECT 1 FROM asked v WHERE ${includesVersion("c", "v.version")})
    UNION ALL SELECT m.address_id, CASE WHEN m.ledger_version = :newest THEN 0 ELSE 3 END FROM _all_gaps m
      WHERE m.ledger_version IN (SELECT v.version FROM asked v)
    UNION ALL SELECT t.address_id, 3 FROM _targets t) found GROUP BY id)
  , missed AS MATERIALIZED (SELECT address_id AS id, count(*) AS gaps FROM _all_gaps
    WHERE ledger_version BETWEEN :oldest AND :newest GROUP BY address_id)
  SELECT ${listedAccount.columns} FROM known k JOIN _addresses a ON a.id = k.id
    LEFT JOIN _targets t ON t.address_id = k.id LEFT JOIN missed g ON g.id = k.id
  WHERE :account::text IS NULL OR a.address = :account::text
  ORDER BY CASE k.state WHEN 0 THEN 0 ELSE 1 END, coalesce(g.gaps, 0) DESC, CASE k.state WHEN 3 THEN 1 ELSE k.state END,
    length(a.address), a.address LIMIT CAST(:limit AS int) OFFSET CAST(:skip AS int)`;
const listed = sql`(SELECT e.value FROM ${jsonEach(":accounts::json", "e")})`;
const within = sql`address IN ${listed} AND from_version <= :to AND (to_version IS NULL OR to_version >= :from)`;
const spans = (kind: Sql, of: Sql): Sql => sql`SELECT ${kind}, a.address, c.from_version, c.to_version, NULL AS reason FROM ${of} c
  JOIN _addresses a ON a.id = c.address_id WHERE ${within}`;
const points = (kind: Sql, view: Sql, reason: Sql): Sql => sql`SELECT ${kind}, p.* FROM (SELECT address, ledger_version AS from_version,
  ledger_version AS to_version, ${reason} AS reason FROM ${view}) p WHERE ${within}`;
const marks = sql`SELECT ${mark.columns} FROM (${points(sql`0 AS rank, 'inferred' AS kind`, inferredAccounts, sql`NULL`)}
  UNION ALL ${spans(sql`1, 'code'`, coverage)} UNION ALL ${spans(sql`2, 'read'`, recordCoverage)}
  UNION ALL ${points(sql`3, 'gap'`, sql`gaps`, sql`reason`)}) s ORDER BY rank`;

export function coverageQueries(engine: Engine) {
  return {
    /**
     * Accounts that the given sealed snapshots cover or have gaps at, and all current and former targets. First those with a gap at the
     * last version, then those with most gaps, then those never asked for. Returns a part of them, or one of them, and the total.
     */
    accountsByGaps: async (
      versions: readonly bigint[],
      { account, skip, limit }: { readonly account?: Address | undefined; readonly skip: number; readonly limit: number },
    ): Promise<{ readonly accounts: readonly ListedAccount[]; readonly total: number }> => {
      const values = {
        versions: JSON.stringify(versions.map(String)),
        oldest: versions[0] ?? -1n,
        newest: versions.at(-1) ?? -1n,
        account: account ?? null,
        limit,
      };
      let rows = await listedAccount.all(engine, accounts, { ...values, skip });
      if (rows.length === 0 && skip > 0) rows = await listedAccount.all(engine, accounts, { ...values, skip: 0 });
      return { accounts: rows.map(({ total: _, ...account }) => account), total: rows[0]?.total ?? 0 };
    },
    /** What there is of some accounts from one version to another; of two marks at one version the later counts. */
    marksOf: (addresses: readonly Address[], { from, to }: { readonly from: bigint; readonly to: bigint }) =>
      mark.all(engine, marks, { accounts: JSON.stringify(addresses), from, to }),
  };
}
