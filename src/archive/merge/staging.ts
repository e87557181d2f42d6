import { equalBytes } from "../../base/bytes.ts";
import { formatHex } from "../../base/hex.ts";
import { printable } from "../../base/printable.ts";
import { sha256 } from "../../base/sha256.ts";
import { LEDGER_VERSION_MAX, parseU64 } from "../../base/u64.ts";
import type { BulkTable, Row, Transaction } from "../../engine/engine.ts";
import { StoreError } from "../../engine/errors.ts";
import type { SqlValue } from "../../engine/query-door.ts";
import { parseAddress } from "../../move/address.ts";
import { type ArchiveTableData, type ArchiveTableName, archiveTables } from "../../schema/archive.ts";
import type { Kind } from "../../schema/kinds.ts";
import { countRows } from "../../schema/sql/functions.ts";
import { joined, named, type Sql, sql } from "../../schema/sql/sql.ts";
import { STORABLE_NAME } from "../content/visit-model.ts";

/** Rows of one table of a foreign archive, from one of its parts; integers are bigint. */
export type ArchivePiece = {
  readonly part: number;
  readonly table: ArchiveTableName;
  readonly rows: Iterable<readonly SqlValue[]> | AsyncIterable<readonly SqlValue[]>;
};

/** What makes a row of a table unlike all others of its part; and what the merge looks for it by. */
const keys: Readonly<Record<ArchiveTableName, readonly string[]>> = {
  archive_snapshots: ["ledger_version"],
  archive_gaps: ["ledger_version", "address"],
  archive_coverage: ["address", "from_version"],
  archive_record_coverage: ["address", "from_version"],
  archive_accounts: ["address", "from_version"],
  archive_modules: ["address", "name", "from_version"],
  archive_module_probes: ["address", "name", "ledger_version"],
  archive_account_probes: ["address", "ledger_version"],
  archive_bytecodes: ["sha256"],
};

/** The table of a transaction in which an archive's table waits: with the column `part` before its own. */
export const staged = Object.fromEntries(
  (Object.keys(archiveTables) as ArchiveTableName[]).map((name) => [name, named(`staged_${name}`)]),
) as Readonly<Record<ArchiveTableName, Sql>>;

const stagings = Object.fromEntries(
  Object.entries<ArchiveTableData>(archiveTables).map(([name, { columns }]) => [name, stagingOf(name as ArchiveTableName, columns)]),
) as Readonly<Record<ArchiveTableName, ReturnType<typeof stagingOf>>>;

function stagingOf(name: ArchiveTableName, columns: ArchiveTableData["columns"]) {
  // What is said to be JSON is text until it is found to be an ABI.
  const kept = Object.entries(columns).map(([column, data]) => [column, data.kind === "json" ? "text" : data.kind] as const);
  const cells = kept.map(([column, kind]) => [column, { kind }]);
  const table: BulkTable = { name: `staged_${name}`, columns: Object.fromEntries([["part", { kind: "int" }], ...cells]) };
  const key = joined(keys[name].map(named), ", ");
  return {
    table,
    columns: kept.map(([column, kind]) => ({ name: column, kind, isNullable: columns[column]?.nullable === true })),
    prepare: [sql`CREATE INDEX ${named(`${table.name}_key`)} ON ${staged[name]} (${key})`, countRows(table.name)],
    findRepeated: sql`SELECT ${key} FROM ${staged[name]} GROUP BY part, ${key} HAVING count(*) > 1 LIMIT 1`,
  };
}

/**
 * Lets a foreign archive's rows wait in tables of a transaction, until all of them are there and found good.
 * @throws StoreError `MOVEDEX_STORE_ARCHIVE` at the first row that cannot be
 */
export async function stageArchive(tx: Transaction, pieces: AsyncIterable<ArchivePiece>): Promise<void> {
  for (const { table } of Object.values(stagings)) await tx.stage(table, []);
  for await (const { part, table, rows } of pieces) {
    await tx.bulk(stagings[table].table, checkEach(part, table, rows));
  }
  for (const [name, { prepare, findRepeated }] of Object.entries(stagings)) {
    for (const statement of prepare) await tx.run(statement);
    const repeated = await tx.first<Row>(findRepeated);
    if (repeated !== undefined) throw refuse(name as ArchiveTableName, repeated, "it repeats another");
  }
}

async function* checkEach(part: number, table: ArchiveTableName, rows: ArchivePiece["rows"]) {
  for await (const row of rows) yield checkRow(part, table, row);
}

const SHA256 = /^[0-9a-f]{64}$/;
/** The last moment that JavaScript's dates have. */
const TIME_MAX = 8_640_000_000_000_000n;

/** What each kind of column must be: an archive comes from anybody. */
const kindChecks: Readonly<Record<Kind, (value: SqlValue) => boolean>> = {
  text: (value) => typeof value === "string" && !value.includes("\0"),
  json: () => false,
  int: (value) => typeof value === "bigint" && value >= 0n && value <= BigInt(Number.MAX_SAFE_INTEGER),
  version: (value) => typeof value === "bigint" && value >= 0n && value <= LEDGER_VERSION_MAX,
  u64: (value) => typeof value === "string" && parseU64(value) !== undefined,
  bytes: (value) => value instanceof Uint8Array,
  bool: (value) => value === 0n || value === 1n,
  time: (value) => typeof value === "bigint" && value >= 0n && value <= TIME_MAX,
};

/** And what some must be besides, by name. */
const checks: Readonly<Record<string, (value: SqlValue) => boolean>> = {
  address: (value) => parseAddress(value as string) === value,
  name: (value) => STORABLE_NAME.test(value as string),
  sha256: (value) => SHA256.test(value as string),
  authentication_key: (value) => (value as Uint8Array).length === 32,
  digest: (value) => (value as Uint8Array).length === 32,
  records_digest: (value) => (value as Uint8Array).length === 32,
  status: (value) => value === "sealed" || value === "sealed_with_gaps",
  reason: isPrintable,
  error_code: isPrintable,
  message: isPrintable,
  source: isPrintable,
};

function checkRow(part: number, table: ArchiveTableName, row: readonly SqlValue[]): unknown[] {
  const { columns } = stagings[table];
  if (row.length !== columns.length) throw refuse(table, row, `it has ${row.length} values instead of ${columns.length}`);
  const cells: unknown[] = [part];
  for (const [i, { name, kind, isNullable }] of columns.entries()) {
    const value = row[i] as SqlValue;
    const isSound = value === null ? isNullable : kindChecks[kind](value) && checks[name]?.(value) !== false;
    if (!isSound) throw refuse(table, row, `\`${name}\` is no such value`);
    cells.push(kind === "time" && value !== null ? Number(value) : value);
  }
  const value = (name: string) => row[columns.findIndex((column) => column.name === name)];
  if (keys[table].includes("from_version") && (value("from_version") as bigint) > (value("to_version") as bigint))
    throw refuse(table, row, "it ends before it begins");
  if (table === "archive_bytecodes" && !isNamedRightly(value("code") as Uint8Array, value("sha256") as string))
    throw refuse(table, row, "its bytes have another SHA-256");
  return cells;
}

function isPrintable(value: SqlValue): boolean {
  return printable(value as string, 10_000) === value;
}

function isNamedRightly(code: Uint8Array, digest: string): boolean {
  return equalBytes(sha256(code), Buffer.from(digest, "hex"));
}

function refuse(table: ArchiveTableName, row: readonly SqlValue[], why: string): StoreError {
  const shown = row.map((value) => (value instanceof Uint8Array ? `0x${formatHex(value.subarray(0, 8))}…` : String(value)));
  const text = `a row of \`${table}\` cannot be: ${why}. Nothing was imported. The row: ${printable(shown.join(", "), 200)}`;
  return new StoreError("MOVEDEX_STORE_ARCHIVE", text, { facts: { table } });
}
