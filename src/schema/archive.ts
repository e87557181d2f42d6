import { bytes, type ColumnData, json, orNull, text, u64, version } from "./column.ts";
import { greatest, hexOf, jsonEach, least } from "./sql/functions.ts";
import { coverage, recordCoverage, sealed } from "./sql/predicates.ts";
import { joined, named, type Sql, sql } from "./sql/sql.ts";
import { traceTables } from "./tables/time.ts";
import { workTables } from "./tables/work.ts";

/**
 * One table of an export that has what was observed. Rows name things by what they are (addresses, names, SHA-256),
 * never by a database's own row numbers, so tables of two databases can be laid side by side.
 */
export type ArchiveTableData = {
  readonly meaning: string;
  readonly columns: Readonly<Record<string, ColumnData>>;
  /**
   * The SELECT behind the table, its rows in the order of their key. `:chosen` is the JSON list of versions, `:given` of those
   * whose bytecode the reader has. Bytes are given as the number of their row, since they are packed.
   */
  readonly select: Sql;
};

const address = text("the account as the node prints it");
const from = version("first of the exported snapshots at which it stood");
const to = version("last of the exported snapshots at which it stood");
const sha256 = text("SHA-256 of the bytecode, 64 hex digits");

const inOrder = sql`length(a.address), a.address`;
const [records, listings] = [sql`_account_spans`, sql`_listing_spans`];

const listOf = (parameter: ":chosen::json" | ":given::json"): Sql =>
  sql`SELECT CAST(j.value AS bigint) AS ledger_version FROM ${jsonEach(parameter, "j")}`;

// Stretches of which one has the record and the next has not are one stretch of accounts, where no snapshot lies between them.
const wholeCoverage = sql`(SELECT address_id, min(from_version) AS from_version, CASE WHEN count(*) = count(to_version) THEN max(to_version) END AS to_version
  FROM (SELECT c.*, count(*) FILTER (WHERE c.is_apart) OVER (PARTITION BY c.address_id ORDER BY c.from_version) AS stretch
    FROM (SELECT c.*, lag(c.to_version) OVER (PARTITION BY c.address_id ORDER BY c.from_version) IS DISTINCT FROM p.before AS is_apart FROM _coverage c
      JOIN (SELECT p.ledger_version, lag(p.ledger_version) OVER (ORDER BY p.ledger_version) AS before FROM _all_snapshots p WHERE ${sealed("p")}) AS p
      ON p.ledger_version = c.from_version) AS c) AS c GROUP BY address_id, stretch)`;

/**
 * Tables for a WITH clause: `ranges` has a row for each overlap of a stretch with the account's coverage, `first` and `last`
 * being versions of a list. Both end at sealed snapshots, so equal versions (`edges`) find them, not a search for each.
 */
function coveredRanges(spans: Sql, list: Sql, prefix = ""): Sql {
  const [versions, edges, ranges] = [named(`${prefix}versions`), named(`${prefix}edges`), named(`${prefix}ranges`)];
  const end = sql`coalesce(${least("c.to_version", "s.to_version")}, c.to_version, s.to_version)`;
  // A record stands at the snapshots that read the account's record, all others at those that read the account.
  const covering = spans === records ? recordCoverage : coverage;
  const isListing = spans === listings ? sql`s.listing_id` : sql`NULL`;
  return sql`${versions} AS MATERIALIZED (${list}),
    ${edges} AS MATERIALIZED (SELECT p.ledger_version, min(h.ledger_version) OVER (ORDER BY p.ledger_version DESC ROWS UNBOUNDED PRECEDING) AS next,
      max(h.ledger_version) OVER (ORDER BY p.ledger_version ROWS UNBOUNDED PRECEDING) AS last
      FROM _all_snapshots p LEFT JOIN ${versions} h ON h.ledger_version = p.ledger_version WHERE ${sealed("p")}),
    ${ranges} AS (SELECT q.* FROM (SELECT s.address_id, s.from_version, ${isListing} AS listing_id, e.next AS first,
      CASE WHEN ${end} IS NULL THEN (SELECT max(h.ledger_version) FROM ${versions} h) ELSE f.last END AS last
      FROM ${spans} s JOIN ${covering} c ON c.address_id = s.address_id AND (s.to_version IS NULL OR c.from_version <= s.to_version)
      AND (c.to_version IS NULL OR c.to_version >= s.from_version)
      JOIN ${edges} e ON e.ledger_version = ${greatest("c.from_version", "s.from_version")}
      LEFT JOIN ${edges} f ON f.ledger_version = ${end}) AS q WHERE q.first <= q.last)`;
}

const merged = (spans: Sql): Sql => sql`${coveredRanges(spans, listOf(":chosen::json"))},
  merged AS (SELECT address_id, from_version, listing_id, min(first) AS first, max(last) AS last FROM ranges
    GROUP BY address_id, from_version, listing_id)`;

const { planned: _planned, sealed_by: _sealer, ...snapshotColumns } = workTables.all_snapshots.columns;
const { ledger_version: _snapshot, address_id: _missed, checksum: _ofGap, ...gapColumns } = workTables.all_gaps.columns;
const { address_id: _account, checksum: _ofProbe, ...accountProbe } = traceTables.account_probes.columns;

const coverageOf = (stretches: Sql) => ({
  columns: { address, from_version: from, to_version: to },
  select: sql`WITH ${merged(stretches)} SELECT a.address, s.first, s.last FROM merged s JOIN _addresses a ON a.id = s.address_id
      ORDER BY ${inOrder}, s.first`,
});

/** What was seen, less the bookkeeping of nights. */
export const archiveTables = {
  archive_snapshots: {
    meaning: "Sealed snapshots",
    columns: snapshotColumns,
    select: sql`SELECT ${joined(
      Object.keys(snapshotColumns).map((name) => sql`p.${named(name)}`),
      ", ",
    )} FROM _all_snapshots p JOIN (${listOf(":chosen::json")}) AS h ON h.ledger_version = p.ledger_version WHERE ${sealed("p")} ORDER BY p.ledger_version`,
  },
  archive_gaps: {
    meaning: "Accounts that a snapshot has no answer for, and why",
    columns: { ledger_version: version("the snapshot"), address, ...gapColumns },
    select: sql`SELECT m.ledger_version, a.address, m.reason, m.error_code, m.http_status, m.message, m.attempts, m.is_final, m.first_at, m.last_at
      FROM _all_gaps m JOIN (${listOf(":chosen::json")}) AS h ON h.ledger_version = m.ledger_version JOIN _addresses a ON a.id = m.address_id
      ORDER BY m.ledger_version, ${inOrder}`,
  },
  archive_coverage: {
    meaning: "Stretches of the exported snapshots that have an answer about an account",
    ...coverageOf(wholeCoverage),
  },
  archive_record_coverage: {
    meaning:
      "Stretches of the exported snapshots that have read an account's record; at others of its snapshots its modules alone were read",
    ...coverageOf(recordCoverage),
  },
  archive_accounts: {
    meaning: "Account records over stretches of the exported snapshots",
    columns: {
      address,
      from_version: from,
      to_version: to,
      sequence_number: u64("the account's sequence number"),
      authentication_key: bytes("the account's authentication key"),
      resource: orNull(bytes("the whole record in BCS; null if the node answered in JSON")),
    },
    select: sql`WITH ${merged(records)} SELECT a.address, q.first, q.last, s.sequence_number, s.authentication_key, s.resource
      FROM merged q JOIN _account_spans s ON s.address_id = q.address_id AND s.from_version = q.from_version
      JOIN _addresses a ON a.id = q.address_id ORDER BY ${inOrder}, q.first`,
  },
  archive_modules: {
    meaning: "Modules' bytecode over stretches of the exported snapshots",
    columns: { address, name: text("name of the module"), from_version: from, to_version: to, sha256 },
    // What stands in listings of an account that follow one another is one stretch of the module.
    select: sql`WITH ${merged(listings)},
      placed AS (SELECT address_id, listing_id, first, last, row_number() OVER (PARTITION BY address_id ORDER BY first) AS place FROM merged),
      parts AS (SELECT p.address_id, m.name, m.bytecode_id, p.first, p.last,
        p.place - row_number() OVER (PARTITION BY p.address_id, m.name, m.bytecode_id ORDER BY p.place) AS stretch
        FROM placed p JOIN _listing_modules m ON m.listing_id = p.listing_id),
      joined AS (SELECT address_id, name, bytecode_id, min(first) AS first, max(last) AS last FROM parts GROUP BY address_id, name, bytecode_id, stretch)
      SELECT a.address, q.name, q.first, q.last, ${hexOf("b.sha256")} FROM joined q JOIN _addresses a ON a.id = q.address_id
      JOIN _bytecodes b ON b.id = q.bytecode_id ORDER BY ${inOrder}, q.name, q.first`,
  },
  archive_module_probes: {
    meaning: "Point reads of modules between snapshots; all of them, in every part of an export",
    columns: {
      address,
      name: text("name of the module"),
      ledger_version: version("the ledger version that was read"),
      sha256: { ...sha256, meaning: `${sha256.meaning}, null when there was no such module`, nullable: true },
      source: accountProbe.source,
    },
    select: sql`SELECT a.address, m.name, m.ledger_version, ${hexOf("b.sha256")}, m.source FROM _module_probes m JOIN _addresses a ON a.id = m.address_id
      LEFT JOIN _bytecodes b ON b.id = m.bytecode_id ORDER BY ${inOrder}, m.name, m.ledger_version`,
  },
  archive_account_probes: {
    meaning: "Point reads of account records between snapshots; all of them, in every part of an export",
    columns: { address, ...accountProbe },
    select: sql`SELECT a.address, m.ledger_version, m.sequence_number, m.authentication_key, m.source FROM _account_probes m
      JOIN _addresses a ON a.id = m.address_id ORDER BY ${inOrder}, m.ledger_version`,
  },
  archive_bytecodes: {
    meaning: "Bytecode of the exported snapshots that no earlier part of the export holds, and bytecode that no snapshot shows",
    columns: {
      sha256,
      code: bytes("the plain bytes"),
      node_abi: orNull(
        json("the ABI that a node gave for bytes that movedex could not decode, null for all others: theirs is derived from the bytes"),
      ),
    },
    select: sql`WITH ${coveredRanges(listings, listOf(":chosen::json"))}, ${coveredRanges(listings, listOf(":given::json"), "given_")},
      wanted AS (SELECT m.bytecode_id FROM _listing_modules m WHERE m.listing_id IN (SELECT listing_id FROM ranges)
        EXCEPT SELECT m.bytecode_id FROM _listing_modules m WHERE m.listing_id IN (SELECT listing_id FROM given_ranges)
        UNION SELECT m.bytecode_id FROM _module_probes m WHERE m.bytecode_id IS NOT NULL
        UNION SELECT b.id FROM _bytecodes b WHERE NOT EXISTS (SELECT 1 FROM _listing_modules m JOIN _listing_spans s ON s.listing_id = m.listing_id WHERE m.bytecode_id = b.id))
      SELECT ${hexOf("b.sha256")} AS sha256, b.id, b.node_abi FROM _bytecodes b JOIN wanted w ON w.bytecode_id = b.id ORDER BY b.sha256`,
  },
} as const satisfies Record<string, ArchiveTableData>;

export type ArchiveTableName = keyof typeof archiveTables;
