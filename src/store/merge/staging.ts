import type { Database } from "better-sqlite3";
import { equalBytes } from "../../base/bytes.ts";
import { formatHex } from "../../base/hex.ts";
import { printable } from "../../base/printable.ts";
import { sha256 } from "../../base/sha256.ts";
import { LEDGER_VERSION_MAX, parseU64 } from "../../base/u64.ts";
import { parseAddress } from "../../move/address.ts";
import { type ArchiveTableData, type ArchiveTableName, archiveTables } from "../../schema/archive.ts";
import { kinds } from "../../schema/kinds.ts";
import { StoreError } from "../errors.ts";
import type { SqlValue } from "../read/query-door.ts";
import { STORABLE_NAME } from "../snapshots/visit-model.ts";

/** Where a foreign archive's rows wait, outside of the database file, until all of them are there and found good. */
export type Staging = {
  /** @throws StoreError `MOVEDEX_STORE_ARCHIVE` at the first row that cannot be */
  readonly stage: (part: number, table: ArchiveTableName, rows: Iterable<readonly SqlValue[]>) => void;
  readonly drop: () => void;
};

/** What makes a row of a table unlike all others of its part. */
const keys: Readonly<Record<ArchiveTableName, readonly string[]>> = {
  archive_snapshots: ["ledger_version"],
  archive_gaps: ["ledger_version", "address"],
  archive_coverage: ["address", "from_version"],
  archive_accounts: ["address", "from_version"],
  archive_modules: ["address", "name", "from_version"],
  archive_module_probes: ["address", "name", "ledger_version"],
  archive_account_probes: ["address", "ledger_version"],
  archive_bytecodes: ["sha256"],
};

/** The table of a connection in which an archive's table waits. */
export function stagedTable(table: ArchiveTableName): string {
  return `temp.staged_${table}`;
}

/** Makes empty staging tables on a connection, in SQLite's own temporary file. */
export function prepareStaging(database: Database): Staging {
  for (const [name, table] of Object.entries<ArchiveTableData>(archiveTables)) {
    const columns = Object.entries(table.columns).map(
      ([column, data]) => `${column} ${kinds[data.kind].sqlite}${data.nullable === true ? "" : " NOT NULL"}`,
    );
    const key = keys[name as ArchiveTableName].join(", ");
    database.exec(`DROP TABLE IF EXISTS ${stagedTable(name as ArchiveTableName)}`);
    database.exec(
      `CREATE TABLE ${stagedTable(name as ArchiveTableName)} (part INTEGER NOT NULL, ${columns.join(", ")}, PRIMARY KEY (part, ${key})) STRICT, WITHOUT ROWID`,
    );
  }
  const stage = (part: number, table: ArchiveTableName, rows: Iterable<readonly SqlValue[]>): void => {
    const names = Object.keys(archiveTables[table].columns);
    const insert = database.prepare<unknown[]>(`INSERT INTO ${stagedTable(table)} VALUES (?${", ?".repeat(names.length)})`);
    for (const row of rows) {
      checkRow(table, names, row);
      try {
        insert.run(part, ...row);
      } catch (error) {
        throw refuse(table, row, `it repeats another or has a value of the wrong kind (${(error as Error).message})`);
      }
    }
  };
  return {
    stage: (part, table, rows) => database.transaction(stage)(part, table, rows),
    drop: () => {
      for (const table of Object.keys(archiveTables)) database.exec(`DROP TABLE IF EXISTS ${stagedTable(table as ArchiveTableName)}`);
    },
  };
}

const SHA256 = /^[0-9a-f]{64}$/;

/** What each column must be, by its name: an archive comes from anybody. */
const checks: Readonly<Record<string, (value: SqlValue) => boolean>> = {
  address: (value) => typeof value === "string" && parseAddress(value) === value,
  name: (value) => typeof value === "string" && STORABLE_NAME.test(value),
  sha256: (value) => typeof value === "string" && SHA256.test(value),
  sequence_number: (value) => typeof value === "string" && parseU64(value) !== undefined,
  head_timestamp_usec: (value) => typeof value === "string" && parseU64(value) !== undefined,
  authentication_key: (value) => value instanceof Uint8Array && value.length === 32,
  digest: (value) => value instanceof Uint8Array && value.length === 32,
  records_digest: (value) => value instanceof Uint8Array && value.length === 32,
  status: (value) => value === "sealed" || value === "sealed_with_gaps",
  reason: isPrintable,
  error_code: isPrintable,
  message: isPrintable,
};

function checkRow(table: ArchiveTableName, names: readonly string[], row: readonly SqlValue[]): void {
  if (row.length !== names.length) throw refuse(table, row, `it has ${row.length} values instead of ${names.length}`);
  for (const [i, name] of names.entries()) {
    const value = row[i] as SqlValue;
    if (value === null) continue;
    const check = name.endsWith("_version") ? isVersion : checks[name];
    if (check !== undefined && !check(value)) throw refuse(table, row, `\`${name}\` is no such value`);
  }
  const value = (name: string) => row[names.indexOf(name)];
  if (names.includes("from_version") && (value("from_version") as bigint) > (value("to_version") as bigint))
    throw refuse(table, row, "it ends before it begins");
  if (table === "archive_bytecodes" && !isNamedRightly(value("code") as Uint8Array, value("sha256") as string))
    throw refuse(table, row, "its bytes have another SHA-256");
}

function isVersion(value: SqlValue): boolean {
  return typeof value === "bigint" && value >= 0n && value <= LEDGER_VERSION_MAX;
}

function isPrintable(value: SqlValue): boolean {
  return typeof value === "string" && printable(value, 10_000) === value;
}

function isNamedRightly(code: Uint8Array, digest: string): boolean {
  return code instanceof Uint8Array && equalBytes(sha256(code), Buffer.from(digest, "hex"));
}

function refuse(table: ArchiveTableName, row: readonly SqlValue[], why: string): StoreError {
  const shown = row.map((value) => (value instanceof Uint8Array ? `0x${formatHex(value.subarray(0, 8))}…` : String(value)));
  const text = `a row of \`${table}\` cannot be: ${why}. Nothing was imported. The row: ${printable(shown.join(", "), 200)}`;
  return new StoreError("MOVEDEX_STORE_ARCHIVE", text, { facts: { table } });
}
