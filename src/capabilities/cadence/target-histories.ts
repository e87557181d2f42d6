import { newestOf } from "../../core/crawl/targets/readings.ts";
import type { ChangeBounds } from "../../core/db/archive/times/ledger-times.ts";
import type { Engine, Integer } from "../../core/db/engine/engine.ts";
import { orNull, orUndefined, rowOf, text, textsOf, version, whole } from "../../core/db/engine/row-shape.ts";
import { jsonEach } from "../../core/db/schema/sql/functions.ts";
import { recordCoverage } from "../../core/db/schema/sql/predicates.ts";
import { type Sql, sql } from "../../core/db/schema/sql/sql.ts";
import type { Address } from "../../core/move/address.ts";

/** What sealed snapshots have of one target. */
export type TargetHistory = ReturnType<typeof toHistory>;

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
const history = (place: Sql) =>
  rowOf({
    /** The account's row; `addressesOf` gives its address. Where accounts were given: its place among them. */
    account: whole(place),
    first: orNull(version("(SELECT min(c.from_version) FROM _coverage c WHERE c.address_id = t.address_id)")),
    newest: orNull(version(newestOf(sql`_coverage`))),
    modules: orNull(whole(modulesNow)),
    /** The newest snapshot that has its record; undefined when none has. */
    recordNewest: orUndefined(version(newestOf(recordCoverage))),
    codeChanges: orNull(text(codeChanges)),
    keyRotations: orNull(text(keyRotations)),
  });
const historiesOf = (place: Sql, from: Sql) => {
  const shape = history(place);
  return { read: shape.read, select: sql`SELECT ${shape.columns} FROM ${from} ORDER BY ${place}` };
};
const histories = historiesOf(sql`t.address_id`, sql`_targets t WHERE t.removed_at IS NULL`);
const givenHistories = historiesOf(
  sql`t.place`,
  sql`(SELECT CAST(j.key AS bigint) AS place, a.id AS address_id FROM ${jsonEach(":accounts::json", "j")} LEFT JOIN _addresses a ON a.address = j.value) t`,
);
const addresses = sql`SELECT a.address FROM ${jsonEach(":accounts::json", "j")} JOIN _addresses a ON a.id = CAST(j.value AS bigint) ORDER BY j.key`;

/** How often targets were read and how often they changed. */
export function targetHistoryQueries(engine: Engine) {
  return {
    /** One query for all targets in row order, or for these accounts in their order, known or not. */
    targetHistories: async function* (accounts?: readonly Address[]): AsyncIterable<readonly TargetHistory[]> {
      const [asked, values] = accounts === undefined ? [histories, {}] : [givenHistories, { accounts: JSON.stringify(accounts) }];
      for await (const rows of engine.stream(asked.select, values)) yield rows.map((row) => toHistory(asked.read(row)));
    },
    /** The addresses of rows, in their order. */
    addressesOf: (accounts: readonly Integer[]): Promise<Address[]> =>
      textsOf<Address>(engine, addresses, { accounts: JSON.stringify(accounts.map(Number)) }),
  };
}

type HistoryRow = ReturnType<ReturnType<typeof history>["read"]>;

function toHistory({ first, newest, modules, codeChanges, keyRotations, ...row }: HistoryRow) {
  return {
    ...row,
    /** The oldest and the newest snapshot that cover it; undefined when none does. */
    covered: first === null || newest === null ? undefined : { first, newest },
    /** Modules at the newest snapshot that covers it. */
    modules: modules ?? 0,
    /** Changes of the list of modules or of a module, oldest first. */
    codeChanges: toChanges(codeChanges),
    /** Changes of the authentication key, oldest first. A record that came or went is none. */
    keyRotations: toChanges(keyRotations),
  };
}

const none: readonly ChangeBounds[] = [];

function toChanges(text: string | null): readonly ChangeBounds[] {
  if (text === null) return none;
  return text.split(",").map((bracket) => {
    const [after, atOrBefore] = bracket.split(" ") as [string, string];
    return { after: BigInt(after), atOrBefore: BigInt(atOrBefore) };
  });
}
