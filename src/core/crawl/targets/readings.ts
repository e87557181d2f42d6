import type { Engine } from "../../db/engine/engine.ts";
import { orUndefined, rowOf, textsOf, version, whole } from "../../db/engine/row-shape.ts";
import { jsonEach } from "../../db/schema/sql/functions.ts";
import { sealed } from "../../db/schema/sql/predicates.ts";
import { type Sql, sql } from "../../db/schema/sql/sql.ts";
import type { Address } from "../../move/address.ts";

// A stretch without an end reaches to the newest snapshot, and what stands without an end stands at the newest that covers the account.
const newestSealed = sql`(SELECT max(p.ledger_version) FROM _all_snapshots p WHERE ${sealed("p")})`;

/** The newest snapshot that a table of stretches has the account `t.address_id` in; null without one. */
export const newestOf = (
  table: Sql,
): Sql => sql`(SELECT coalesce(c.to_version, ${newestSealed}) FROM ${table} c WHERE c.address_id = t.address_id
    ORDER BY c.from_version DESC LIMIT 1)`;

const reading = rowOf({ newest: orUndefined(version("h.newest")), targets: whole("count(*)") });
const newest = sql`SELECT ${reading.columns} FROM (SELECT ${newestOf(sql`_coverage`)} AS newest FROM _targets t WHERE t.removed_at IS NULL) h
  GROUP BY h.newest ORDER BY h.newest`;
const byAge = (accounts: Sql): Sql => sql`SELECT t.address FROM ${accounts} t ORDER BY coalesce(${newestOf(sql`_coverage`)}, -1), t.place`;
const targets = byAge(
  sql`(SELECT g.address_id, g.address_id AS place, a.address FROM _targets g JOIN _addresses a ON a.id = g.address_id WHERE g.removed_at IS NULL)`,
);
const given = byAge(
  sql`(SELECT a.id AS address_id, CAST(j.key AS bigint) AS place, j.value AS address FROM ${jsonEach(":accounts::json", "j")} LEFT JOIN _addresses a ON a.address = j.value)`,
);

/** When targets were read last. */
export function readingQueries(engine: Engine) {
  return {
    /** How many targets each snapshot is the newest of, oldest first; under undefined those that none covers. */
    newestReadings: (): Promise<readonly { readonly newest: bigint | undefined; readonly targets: number }[]> =>
      reading.all(engine, newest),
    /** The targets, or these accounts: first those never read, then those read longest ago. */
    readLongestAgo: (accounts?: readonly Address[]): Promise<Address[]> =>
      accounts === undefined ? textsOf(engine, targets) : textsOf(engine, given, { accounts: JSON.stringify(accounts) }),
  };
}
