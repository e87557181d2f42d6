import { sealed } from "./sql/predicates.ts";
import { inSqlite } from "./sql/sqlite-words.ts";
import type { ColumnData } from "./table.ts";
import { traceTables } from "./tables/trace.ts";
import { workTables } from "./tables/work.ts";

/**
 * One table of an export that movedex can read back. Rows name things by what they are (addresses, names, SHA-256),
 * never by a database's own row numbers, so tables of two databases can be laid side by side.
 */
export type ArchiveTableData = {
  readonly name: string;
  readonly meaning: string;
  readonly columns: Readonly<Record<string, Pick<ColumnData, "kind" | "meaning" | "nullable">>>;
  /**
   * The SELECT behind the table in SQLite's words, its columns in the order of `columns`, its rows in the order of their
   * key. It sees the versions to give in `temp.chosen`, and in `temp.given` those whose bytecode the reader has already.
   */
  readonly sqlite: string;
};

const address = { kind: "text", meaning: "the account as the node prints it" } as const;
const from = { kind: "version", meaning: "first of the exported snapshots at which it stood" } as const;
const to = { kind: "version", meaning: "last of the exported snapshots at which it stood" } as const;
const sha256 = { kind: "text", meaning: "SHA-256 of the bytecode, 64 hex digits" } as const;

const LAST = "9223372036854775807";
const inOrder = "length(a.address), a.address";

// The part of a span `s` that lies in a version list: its covered versions' first and last. Coverage runs are few per account.
const inside = (list: string, end: "min" | "max"): string =>
  `${end}((SELECT ${end}(h.ledger_version) FROM temp.${list} h WHERE h.ledger_version BETWEEN max(c.from_version, s.from_version) ` +
  `AND min(coalesce(c.to_version, ${LAST}), coalesce(s.to_version, ${LAST}))))`;
const covered = "JOIN coverage c ON c.address_id = s.address_id JOIN addresses a ON a.id = s.address_id";
const standsIn = (list: string): string =>
  "SELECT m.bytecode_id FROM listing_modules m WHERE m.listing_id IN (SELECT s.listing_id FROM listing_spans s JOIN coverage c ON c.address_id = s.address_id " +
  `GROUP BY s.address_id, s.from_version HAVING ${inside(list, "min")} IS NOT NULL)`;

const { planned: _planned, ...pinColumns } = workTables.pins.columns;
const { address_id: _account, checksum: _checksum, ...accountProbe } = traceTables.account_probes.columns;

/** The tables of an export from which a database can be made again: what was seen, less the bookkeeping of nights. */
export const archiveTables = {
  archive_snapshots: {
    name: "archive_snapshots",
    meaning: "Sealed snapshots",
    columns: pinColumns,
    sqlite: `SELECT ${Object.keys(pinColumns)
      .map((name) => `p.${name}`)
      .join(
        ", ",
      )} FROM pins p JOIN temp.chosen h ON h.ledger_version = p.ledger_version WHERE ${inSqlite(sealed("p"))} ORDER BY p.ledger_version`,
  },
  archive_gaps: {
    name: "archive_gaps",
    meaning: "Accounts that a snapshot has no answer for, and why",
    columns: {
      ledger_version: { kind: "version", meaning: "the snapshot" },
      address,
      reason: workTables.misses.columns.reason,
      error_code: workTables.misses.columns.error_code,
      http_status: workTables.misses.columns.http_status,
      message: workTables.misses.columns.message,
      attempts: workTables.misses.columns.attempts,
      is_final: workTables.misses.columns.is_final,
      first_at: workTables.misses.columns.first_at,
      last_at: workTables.misses.columns.last_at,
    },
    sqlite:
      "SELECT m.ledger_version, a.address, m.reason, m.error_code, m.http_status, m.message, m.attempts, m.is_final, m.first_at, m.last_at " +
      "FROM misses m JOIN temp.chosen h ON h.ledger_version = m.ledger_version JOIN addresses a ON a.id = m.address_id " +
      `ORDER BY m.ledger_version, ${inOrder}`,
  },
  archive_coverage: {
    name: "archive_coverage",
    meaning: "Stretches of the exported snapshots that have an answer about an account",
    columns: { address, from_version: from, to_version: to },
    sqlite:
      "SELECT address, first, last FROM (SELECT a.address, " +
      "(SELECT min(h.ledger_version) FROM temp.chosen h WHERE h.ledger_version >= c.from_version) AS first, " +
      `(SELECT max(h.ledger_version) FROM temp.chosen h WHERE h.ledger_version <= coalesce(c.to_version, ${LAST})) AS last ` +
      `FROM coverage c JOIN addresses a ON a.id = c.address_id ORDER BY ${inOrder}, c.from_version) WHERE first <= last`,
  },
  archive_accounts: {
    name: "archive_accounts",
    meaning: "Account records over stretches of the exported snapshots",
    columns: {
      address,
      from_version: from,
      to_version: to,
      sequence_number: { kind: "u64", meaning: "the account's sequence number" },
      authentication_key: { kind: "bytes", meaning: "the account's authentication key" },
      resource: { kind: "bytes", meaning: "the whole record in BCS, null when the node answered in JSON", nullable: true },
    },
    sqlite:
      `SELECT a.address, ${inside("chosen", "min")} AS first, ${inside("chosen", "max")}, s.sequence_number, s.authentication_key, s.resource ` +
      `FROM account_spans s ${covered} GROUP BY s.address_id, s.from_version HAVING first IS NOT NULL ORDER BY ${inOrder}, first`,
  },
  archive_modules: {
    name: "archive_modules",
    meaning: "Modules' bytecode over stretches of the exported snapshots",
    columns: { address, name: { kind: "text", meaning: "name of the module" }, from_version: from, to_version: to, sha256 },
    // What stands in listings of an account that follow one another is one stretch of the module.
    sqlite:
      `WITH clipped AS (SELECT s.address_id, s.listing_id, ${inside("chosen", "min")} AS first, ${inside("chosen", "max")} AS last ` +
      "FROM listing_spans s JOIN coverage c ON c.address_id = s.address_id GROUP BY s.address_id, s.from_version HAVING first IS NOT NULL), " +
      "placed AS (SELECT address_id, listing_id, first, last, row_number() OVER (PARTITION BY address_id ORDER BY first) AS place FROM clipped), " +
      "parts AS (SELECT p.address_id, m.name, m.bytecode_id, p.first, p.last, " +
      "p.place - row_number() OVER (PARTITION BY p.address_id, m.name, m.bytecode_id ORDER BY p.place) AS stretch " +
      "FROM placed p JOIN listing_modules m ON m.listing_id = p.listing_id) " +
      "SELECT a.address, q.name, min(q.first) AS first, max(q.last), lower(hex(b.sha256)) FROM parts q JOIN addresses a ON a.id = q.address_id " +
      `JOIN bytecodes b ON b.id = q.bytecode_id GROUP BY q.address_id, q.name, q.bytecode_id, q.stretch ORDER BY ${inOrder}, q.name, first`,
  },
  archive_module_probes: {
    name: "archive_module_probes",
    meaning: "Point reads of modules between snapshots; all of them, in every part of an export",
    columns: {
      address,
      name: { kind: "text", meaning: "name of the module" },
      ledger_version: { kind: "version", meaning: "the ledger version that was read" },
      sha256: { ...sha256, meaning: `${sha256.meaning}, null when there was no such module`, nullable: true },
    },
    sqlite:
      "SELECT a.address, m.name, m.ledger_version, nullif(lower(hex(b.sha256)), '') FROM module_probes m JOIN addresses a ON a.id = m.address_id " +
      `LEFT JOIN bytecodes b ON b.id = m.bytecode_id ORDER BY ${inOrder}, m.name, m.ledger_version`,
  },
  archive_account_probes: {
    name: "archive_account_probes",
    meaning: "Point reads of account records between snapshots; all of them, in every part of an export",
    columns: { address, ...accountProbe },
    sqlite:
      "SELECT a.address, m.ledger_version, m.sequence_number, m.authentication_key FROM account_probes m JOIN addresses a ON a.id = m.address_id " +
      `ORDER BY ${inOrder}, m.ledger_version`,
  },
  archive_bytecodes: {
    name: "archive_bytecodes",
    meaning: "Bytecode of the exported snapshots that no earlier part of the export holds, and bytecode that no snapshot shows",
    columns: {
      sha256,
      code: { kind: "bytes", meaning: "the plain bytes" },
      node_abi: {
        kind: "json",
        meaning: "the ABI that a node gave for bytes that movedex could not decode, null for all others: theirs is derived from the bytes",
        nullable: true,
      },
    },
    sqlite:
      "SELECT lower(hex(b.sha256)), b.sha256, b.node_abi FROM bytecodes b " +
      `WHERE (b.id IN (${standsIn("chosen")}) AND b.id NOT IN (${standsIn("given")})) ` +
      "OR b.id IN (SELECT m.bytecode_id FROM module_probes m) " +
      "OR NOT EXISTS (SELECT 1 FROM listing_modules m JOIN listing_spans s ON s.listing_id = m.listing_id WHERE m.bytecode_id = b.id) ORDER BY b.sha256",
  },
} as const satisfies Record<string, ArchiveTableData>;

/** The name of a table of an export. */
export type ArchiveTableName = keyof typeof archiveTables;
