import { newestOf } from "../../core/crawl/targets/readings.ts";
import type { ChangeBounds } from "../../core/db/archive/times/ledger-times.ts";
import type { Engine, Integer } from "../../core/db/engine/engine.ts";
import { orNull, orUndefined, rowOf, text, textsOf, version, whole } from "../../core/db/engine/row-shape.ts";
import { jsonEach } from "../../core/db/schema/sql/functions.ts";
import { recordCoverage } from "../../core/db/schema/sql/predicates.ts";
import { type Sql, sql } from "../../core/db/schema/sql/sql.ts";
import type { Address } from "../../core/move/address.ts";

// Subqueries for each target and no groups: rows come in the order of the primary key, and nothing is sorted first.
const brackets = sql`string_agg(CAST(g.after_version AS text) || ' ' || CAST(g.from_version AS text), ',' ORDER BY g.from_version)`;
// Most targets never changed: of these nothing is put together.
const hasEnded = (spans: Sql): Sql => sql`EXISTS (SELECT 1 FROM ${spans} e WHERE e.address_id = t.address_id AND e.to_version IS NOT NULL)`;
// A value ends at the last snapshot that shows it, and the next begins at the following snapshot that covers the account.
const codeChanges = sql`CASE WHEN ${hasEnded(sql`_listing_spans`)} THEN (SELECT ${brackets} FROM (SELECT s.from_version, lag(s.to_version) OVER (ORDER BY s.from_version) AS after_version
      FROM _listing_spans s WHERE s.address_id = t.address_id) g WHERE g.after_version IS NOT NULL) END`;
const keyRotations = sql`CASE WHEN ${hasEnded(sql`_account_spans`)} THEN (SELECT ${brackets} FROM (SELECT r.from_version, r.authentication_key, lag(r.to_version) OVER w AS after_version, lag(r.authentication_key) OVER w AS key_before
      FROM _account_spans r WHERE r.address_id = t.address_id WINDOW w AS (ORDER BY r.from_version)) g
      WHERE g.after_version IS NOT NULL AND g.authentication_key <> g.key_before) END`;
const modulesNow = sql`(SELECT l.modules FROM _listing_spans s JOIN _listings l ON l.id = s.listing_id WHERE s.address_id = t.address_id AND s.to_version IS NULL)`;
const history = rowOf({
  /** The account's row; `addressesOf` gives its address. Where accounts were given: its place among them. */
  account: whole("t.place"),
  /** The oldest and the newest snapshot that cover it; null when none does. */
  first: orNull(version("(SELECT min(c.from_version) FROM _coverage c WHERE c.address_id = t.address_id)")),
  newest: orNull(version(newestOf(sql`_coverage`))),
  /** Modules at the newest snapshot that covers it. */
  modules: orNull(whole(modulesNow)),
  /** The newest snapshot that has its record; undefined when none has. */
  recordNewest: orUndefined(version(newestOf(recordCoverage))),
  /** Changes of the list of modules or of a module, oldest first, as `changesIn` reads them. */
  codeChanges: orNull(text(codeChanges)),
  /** The same of the authentication key. A record that came or went is none. */
  keyRotations: orNull(text(keyRotations)),
});
const historiesOf = (targets: Sql) => sql`SELECT ${history.columns} FROM (${targets}) t ORDER BY t.place`;
const stored = historiesOf(sql`SELECT address_id AS place, address_id FROM _targets WHERE removed_at IS NULL`);
const given = historiesOf(
  sql`SELECT CAST(j.key AS bigint) AS place, a.id AS address_id FROM ${jsonEach(":accounts::json", "j")} LEFT JOIN _addresses a ON a.address = j.value`,
);
const addresses = sql`SELECT a.address FROM ${jsonEach(":accounts::json", "j")} JOIN _addresses a ON a.id = CAST(j.value AS bigint) ORDER BY j.key`;

/** How often targets were read and how often they changed: of all in row order, or of these accounts in their order, known or not. */
export function targetHistories(engine: Engine, accounts?: readonly Address[]) {
  return accounts === undefined ? history.stream(engine, stored) : history.stream(engine, given, { accounts: JSON.stringify(accounts) });
}

/** The addresses of rows, in their order. */
export function addressesOf(engine: Engine, accounts: readonly Integer[]): Promise<Address[]> {
  return textsOf<Address>(engine, addresses, { accounts: JSON.stringify(accounts.map(Number)) });
}

/** The two readings around each change. */
export function changesIn(text: string | null): ChangeBounds[] {
  if (text === null) return [];
  return text.split(",").map((bracket) => {
    const [after, atOrBefore] = bracket.split(" ") as [string, string];
    return { after: BigInt(after), atOrBefore: BigInt(atOrBefore) };
  });
}
