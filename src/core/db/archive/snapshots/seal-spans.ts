import type { Transaction } from "../../engine/engine.ts";
import { countOf } from "../../engine/row-shape.ts";
import { greatest, least } from "../../schema/sql/functions.ts";
import { coverage, includesVersion, recordCoverage } from "../../schema/sql/predicates.ts";
import { joined, named, type Sql, sql } from "../../schema/sql/sql.ts";
import type { TableData } from "../../schema/table.ts";
import { timeTables } from "../../schema/tables/time.ts";
import { countSeal } from "../content/type-counts.ts";

/** The position of a version that is being sealed in a sequence: its neighbours, undefined at either end. */
export type SealPosition = { readonly version: bigint; readonly previous: bigint | undefined; readonly next: bigint | undefined };

const visited = sql`v.ledger_version = :version AND v.state = 'visited'`;

// What sealing a version changes in the spans of visited accounts, in a fixed number of statements. Spans are maximal over the
// snapshots that cover an account, so the order of sealing does not matter; at most two change.

// A coverage stretch that ends short of the version's neighbour among all sealed snapshots ends at a snapshot of its own,
// which then is the account's neighbour. A visit that equals the newest snapshot of all changes nothing and is left out:
// it was found to be covered there, and everything that stands goes on standing.
const neighboursIn = (of: Sql, isRead: Sql): Sql => sql`SELECT v.address_id,
    max(CASE WHEN c.from_version < :version THEN ${least(sql`coalesce(c.to_version, :previous::version)`, ":previous::version")} END) AS previous,
    min(CASE WHEN coalesce(c.to_version, :next::version) > :version THEN ${greatest("c.from_version", ":next::version")} END) AS next
  FROM _visits v LEFT JOIN ${of} c ON c.address_id = v.address_id
  WHERE ${visited} AND ${isRead} AND v.same_as_version IS DISTINCT FROM :quiet::version GROUP BY v.address_id`;
const seenListings = sql`SELECT b.address_id, b.previous, b.next, coalesce(v.listing_id, s.listing_id) AS listing_id
  FROM (${neighboursIn(coverage, sql`TRUE`)}) AS b JOIN _visits v ON v.ledger_version = :version AND v.address_id = b.address_id
  LEFT JOIN _listing_spans s ON s.address_id = v.address_id AND ${includesVersion("s", "v.same_as_version")}`;
const seenRecords = sql`SELECT b.address_id, b.previous, b.next, coalesce(v.sequence_number, r.sequence_number) AS sequence_number,
    coalesce(v.authentication_key, r.authentication_key) AS authentication_key, coalesce(v.resource, r.resource) AS resource
  FROM (${neighboursIn(recordCoverage, sql`v.reads_record`)}) AS b JOIN _visits v ON v.ledger_version = :version AND v.address_id = b.address_id
  LEFT JOIN _account_spans r ON r.address_id = v.address_id AND ${includesVersion("r", "v.same_as_version")}`;

const spans = [
  spanStatements(timeTables.listing_spans, "listing_edits", ["listing_id"], { select: seenListings, isPresent: sql`TRUE` }),
  spanStatements(timeTables.account_spans, "account_edits", ["sequence_number", "authentication_key", "resource"], {
    select: seenRecords,
    isPresent: sql`(e.authentication_key IS NOT NULL)`,
  }),
  // Coverage has all sealed snapshots for neighbours: an account that one of them does not cover has no stretch there.
  spanStatements(timeTables.coverage, "cover_edits", ["reads_record"], {
    select: sql`SELECT v.address_id, CAST(:previous::version AS bigint) AS previous, CAST(:next::version AS bigint) AS next, v.reads_record
      FROM _visits v WHERE ${visited}`,
    isPresent: sql`TRUE`,
  }),
];

const changed = sql`SELECT count(*) FROM (SELECT x.address_id FROM
    (SELECT address_id, listing_id FROM listing_edits WHERE l_from IS NOT NULL AND l_listing_id IS DISTINCT FROM listing_id
    UNION ALL SELECT address_id, l_listing_id FROM listing_edits WHERE l_listing_id IS DISTINCT FROM listing_id) AS x
  JOIN _listing_modules m ON m.listing_id = x.listing_id GROUP BY x.address_id, m.name
  HAVING count(*) = 1 OR min(m.bytecode_id) <> max(m.bytecode_id)) AS differing`;

const across = sql`c.from_version <= :previous::version AND (c.to_version IS NULL OR c.to_version >= :next::version)
  AND NOT EXISTS (SELECT 1 FROM _visits v WHERE ${visited} AND v.address_id = c.address_id)`;
/** Ends or parts the coverage of all accounts but those that were visited. */
const uncoverOthers = [
  // The part after the version first: cutting the part before it takes away what the first one goes by.
  sql`INSERT INTO _coverage (address_id, from_version, to_version, reads_record) SELECT c.address_id, :next::version, c.to_version, c.reads_record
    FROM _coverage c WHERE :next::version IS NOT NULL AND ${across}`,
  sql`UPDATE _coverage AS c SET to_version = :previous::version WHERE ${across}`,
];

/**
 * Writes the spans of listings, records and coverage that visits change; `position` is among all sealed snapshots. One that is sealed for
 * the first time covers no account but those of its plan. @returns how many modules differ from the snapshot before
 */
export async function sealSpans(tx: Transaction, { version, previous, next }: SealPosition, isExtended: boolean): Promise<number> {
  const values = { version, previous: previous ?? null, next: next ?? null };
  const quiet = !isExtended && next === undefined && previous !== undefined ? previous : -1n;
  for (const { seen } of spans) await tx.stageSelect(seen.name, seen.select, { ...values, quiet });
  for (const { edits } of spans) await tx.stageSelect(edits.name, edits.select);
  await countSeal(tx, async () => {
    for (const statement of spans.flatMap(({ statements }) => statements)) await tx.run(statement, { version });
  });
  if (!isExtended && previous !== undefined) for (const statement of uncoverOthers) await tx.run(statement, values);
  return countOf(tx, changed);
}

/** What was seen of accounts (`e`), each with its neighbours; `isPresent` says whether there was anything. */
type Seen = { readonly select: Sql; readonly isPresent: Sql };

/** The statements that put what was seen into one table of spans. */
function spanStatements(table: TableData, edits: string, columns: readonly string[], { select, isPresent }: Seen) {
  const seen = { name: `seen${table.name}`, select };
  const spans = named(table.name);
  const edit = named(edits);
  const listed = (one: (name: string) => Sql, between: ", " | " AND " = ", ") => joined(columns.map(one), between);
  const cells = (alias: string, prefix = "") => listed((name) => column(alias, `${prefix}${name}`));
  const equal = (span: string) =>
    sql`${isPresent} AND ${listed((name) => sql`${column(span, name)} IS NOT DISTINCT FROM ${column("e", name)}`, " AND ")}`;
  const valuesOf = (span: string) => listed((name) => sql`${column(span, name)} AS ${named(`${span}_${name}`)}`);
  // One row for each account whose spans beside the version must change, with what stands there.
  const found = sql`SELECT e.address_id, e.previous, e.next, ${isPresent} AS is_present, ${cells("e")},
      l.from_version AS l_from, l.to_version AS l_to, ${valuesOf("l")}, r.from_version AS r_from, r.to_version AS r_to, ${valuesOf("r")},
      (l.from_version IS NOT NULL AND ${equal("l")}) AS is_left, (r.from_version IS NOT NULL AND ${equal("r")}) AS is_right
    FROM ${named(seen.name)} e LEFT JOIN ${spans} l ON l.address_id = e.address_id AND ${includesVersion("l", "e.previous")}
    LEFT JOIN ${spans} r ON r.address_id = e.address_id AND ${includesVersion("r", "e.next")}`;
  const needed = sql`SELECT * FROM (${found}) AS f WHERE NOT (f.is_left AND (f.r_from IS NOT DISTINCT FROM f.l_from OR (f.next IS NULL AND f.l_to IS NULL)))
    AND (f.is_present OR f.l_from IS NOT NULL)`;
  const inserted = ["address_id", "from_version", "to_version", ...columns];
  const add = (rows: Sql) => sql`INSERT INTO ${spans} (${joined(inserted.map(named), ", ")}) ${rows}`;
  const statements = [
    // What an account that is visited again showed at the version, where nothing but it shows that; and the span after, where the one
    // before goes on into it now that nothing else stands between.
    sql`DELETE FROM ${spans} WHERE (address_id, from_version) IN
      (SELECT e.address_id, :version::version FROM ${edit} e WHERE e.r_from IS DISTINCT FROM :version::version
      UNION ALL SELECT e.address_id, e.r_from FROM ${edit} e WHERE e.is_left AND e.is_right)`,
    sql`UPDATE ${spans} AS s SET from_version = e.next FROM ${edit} e WHERE s.address_id = e.address_id AND s.from_version = :version
      AND e.r_from = s.from_version AND NOT e.is_right`,
    // The span before goes on to the version, or through it, where it is equal, else it ends at the neighbour.
    sql`UPDATE ${spans} AS s SET to_version = CASE WHEN NOT e.is_left THEN e.previous WHEN e.is_right THEN e.r_to WHEN e.next IS NULL THEN NULL
        ELSE :version::version END
      FROM ${edit} e WHERE s.address_id = e.address_id AND s.from_version = e.l_from AND (e.is_left OR coalesce(e.l_to > e.previous, TRUE))`,
    // Where only the span after is equal, it begins at the version.
    sql`UPDATE ${spans} AS s SET from_version = :version::version FROM ${edit} e WHERE s.address_id = e.address_id AND s.from_version = e.r_from
      AND e.is_right AND NOT e.is_left AND e.l_from IS DISTINCT FROM e.r_from`,
    // One span across the version that is not equal: its part after the version becomes a span of its own.
    add(sql`SELECT e.address_id, e.next, e.l_to, ${cells("e", "l_")} FROM ${edit} e WHERE e.l_from = e.r_from AND NOT e.is_left`),
    add(sql`SELECT e.address_id, :version::version, CASE WHEN e.next IS NULL THEN NULL ELSE :version::version END, ${cells("e")}
      FROM ${edit} e WHERE e.is_present AND NOT e.is_left AND (NOT e.is_right OR e.l_from = e.r_from)`),
  ];
  return { seen, edits: { name: edits, select: needed }, statements };
}

function column(alias: string, name: string): Sql {
  return sql`${named(alias)}.${named(name)}`;
}
