import type { Engine } from "../../../core/db/engine/engine.ts";
import { orNull, rowOf, text, version, whole } from "../../../core/db/engine/row-shape.ts";
import { jsonEach } from "../../../core/db/schema/sql/functions.ts";
import { coverage, includesVersion, recordCoverage } from "../../../core/db/schema/sql/predicates.ts";
import { type Sql, sql } from "../../../core/db/schema/sql/sql.ts";
import type { Address } from "../../../core/move/address.ts";

const point = rowOf({ address: text<Address>("address"), version: version("ledger_version") });
const stretch = rowOf({
  address: text<Address>("address"),
  from: version("from_version"),
  to: orNull(version("to_version")),
  reason: orNull(text("reason")),
});

/** A stretch of snapshots that answer about an account (`to` is null up to the newest), or one that does not, with the `reason`. */
export type CoverageStretch = ReturnType<typeof stretch.read>;

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
const stretchesOf = (of: Sql): Sql => sql`SELECT a.address, c.from_version, c.to_version, NULL AS reason FROM ${of} c
  JOIN _addresses a ON a.id = c.address_id WHERE a.address IN ${listed}
    AND c.from_version <= :to AND (c.to_version IS NULL OR c.to_version >= :from)`;
const allStretches = (select: Sql): Sql => sql`SELECT ${stretch.columns} FROM (${select}) s`;
const covered = allStretches(sql`${stretchesOf(coverage)} UNION ALL SELECT address, ledger_version, ledger_version, reason FROM gaps
  WHERE ledger_version >= :from AND ledger_version <= :to AND address IN ${listed}`);
const recorded = allStretches(stretchesOf(recordCoverage));
const inferred = sql`SELECT ${point.columns} FROM accounts_inferred WHERE address IN ${listed}`;

export function coverageQueries(engine: Engine) {
  const list = (addresses: readonly Address[]) => ({ accounts: JSON.stringify(addresses) });
  const stretches =
    (statement: Sql) =>
    (addresses: readonly Address[], { from, to }: { readonly from: bigint; readonly to: bigint }): Promise<readonly CoverageStretch[]> =>
      stretch.all(engine, statement, { ...list(addresses), from, to });
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
    /** What snapshots from one version to another have of some accounts; what stretches over an end is given whole. */
    coverageOf: stretches(covered),
    /** The stretches of it whose snapshots have read the account's record, and not its modules alone. */
    recordCoverageOf: stretches(recorded),
    /** Which of some accounts' modules were inferred at versions that backfill was asked for. */
    inferredOf: (addresses: readonly Address[]) => point.all(engine, inferred, list(addresses)),
  };
}
