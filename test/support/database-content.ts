import Database from "better-sqlite3";
import { viewList } from "../../src/schema/views/views.ts";

/** All that a database says, by view and table: one JSON text per row, sorted, without row numbers and without bookkeeping. */
export type DatabaseContent = Readonly<Record<string, readonly string[]>>;

/** What a run writes about itself and not about the ledger: times, tries, the words of a failure. */
const bookkeeping = new Set([
  "asked_at",
  "decided_at",
  "created_at",
  "sealed_at",
  "head_version",
  "oldest_version",
  "changed_modules",
  "first_at",
  "last_at",
  "attempts",
  "message",
  "http_status",
  "error_code",
]);

/** The tables behind the views, each row with what its numbers stand for. */
const tables = {
  addresses: "SELECT address FROM addresses",
  bytecodes:
    "SELECT lower(hex(b.sha256)) AS sha256, b.size, b.bytecode_version, lower(hex(a.digest)) AS abi, b.decoder, b.error_code, b.error_offset, b.error_message " +
    "FROM bytecodes b LEFT JOIN abis a ON a.id = b.abi_id",
  abis: "SELECT lower(hex(digest)) AS digest, decoder, lower(hex(node_digest)) AS node FROM abis",
  functions: "SELECT lower(hex(digest)) AS digest, name, signature, acquires FROM functions",
  structs: "SELECT lower(hex(digest)) AS digest, name FROM structs",
  types: "SELECT type FROM types",
  error_codes: "SELECT code, name, description FROM error_codes",
  coverage: "SELECT a.address, c.from_version, c.to_version FROM coverage c JOIN addresses a ON a.id = c.address_id",
  account_spans:
    "SELECT a.address, s.from_version, s.to_version, s.sequence_number, lower(hex(s.authentication_key)) AS key, lower(hex(s.resource)) AS resource " +
    "FROM account_spans s JOIN addresses a ON a.id = s.address_id",
  module_spans:
    "SELECT a.address, s.name, s.from_version, s.to_version, lower(hex(b.sha256)) AS sha256 " +
    "FROM module_spans s JOIN addresses a ON a.id = s.address_id JOIN bytecodes b ON b.id = s.bytecode_id",
  seals: "SELECT ledger_version, lower(hex(records_digest)) AS records_digest FROM pins",
  work_in_hand: "SELECT ledger_version, position, state FROM visits",
} as const;

/**
 * What a database holds, in a form in which two databases of the same observations are equal: every public view but that of the nodes' builds, and every
 * table behind them, whatever the order in which rows were written.
 */
export function databaseContent(path: string): DatabaseContent {
  const database = new Database(path, { readonly: true });
  try {
    const questions = [
      ...viewList.filter(({ name }) => name !== "node_builds").map(({ name }) => [name, `SELECT * FROM ${name}`] as const),
      ...Object.entries(tables),
    ];
    return Object.fromEntries(questions.map(([name, sql]) => [name, rowsOf(database, sql)]));
  } finally {
    database.close();
  }
}

function rowsOf(database: Database.Database, sql: string): string[] {
  const rows = database.prepare<[], Record<string, unknown>>(sql).safeIntegers().all();
  const isBytecodes = sql === tables.bytecodes;
  return rows
    .map((row) =>
      JSON.stringify(
        Object.entries(row).filter(([name]) => isBytecodes || !bookkeeping.has(name)),
        (_, value) => (typeof value === "bigint" ? value.toString() : value),
      ),
    )
    .sort();
}
