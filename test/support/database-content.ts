import type Database from "better-sqlite3";
import { viewList } from "../../src/core/db/schema/views/views.ts";
import { asked } from "./store/ask-file.ts";

/** All that a database says, by view and table: one JSON text per row, sorted, without row numbers and without bookkeeping. */
export type DatabaseContent = Readonly<Record<string, readonly string[]>>;

/**
 * What a run writes about itself and not about the ledger: times, tries, the words of a failure. The ledger's time is exact where a node
 * told it, else as exact as the heads that a run happened to hear.
 */
const bookkeeping = new Set(
  `added_at asked_at decided_at judged_at told_at created_at sealed_at head_version oldest_version changed_modules
  ledger_time ledger_time_error_ms first_at last_at attempts message http_status error_code`.split(/\s+/),
);

/** What runs did, the nodes that they met, and how bytes are packed: these differ between two databases of the same observations. */
const aboutRuns = new Set(["node_builds", "run_history", "horizon_samples", "bytes_held"]);
/** They come from the same tables as those of the same name with `_at`. To prepare them all would take half of the time. */
const isTwin = (name: string): boolean => /_(?:latest|history)$/.test(name);

/** The tables behind the views, each row with what its numbers stand for. */
const tables = {
  addresses: "SELECT address FROM _addresses",
  bytecodes:
    "SELECT lower(hex(b.sha256)) AS sha256, b.size, b.bytecode_version, a.has_calls, " +
    "lower(hex(e.digest)) AS errors, b.derived_by, b.error_code, b.error_offset, b.error_message " +
    "FROM _bytecodes b LEFT JOIN _abis a ON a.id = b.abi_id LEFT JOIN _error_maps e ON e.id = a.error_map_id",
  // Which numbers rows have depends on the order in which they came; what each bytecode has does not.
  functions:
    "SELECT lower(hex(b.sha256)) AS sha256, l.position, f.name, g.declaration FROM _bytecodes b " +
    "JOIN _abi_functions l ON l.abi_id = b.abi_id JOIN _functions f ON f.id = l.function_id JOIN _signatures g ON g.id = f.signature_id",
  acquires:
    "SELECT lower(hex(b.sha256)) AS sha256, l.position, x.position AS place, x.struct FROM _bytecodes b " +
    "JOIN _abi_functions l ON l.abi_id = b.abi_id JOIN _function_acquires x ON x.function_id = l.function_id",
  structs:
    "SELECT lower(hex(b.sha256)) AS sha256, l.position, s.name FROM _bytecodes b " +
    "JOIN _abi_structs l ON l.abi_id = b.abi_id JOIN _structs s ON s.id = l.struct_id",
  functions_once:
    "SELECT a.address, m.name AS module, f.name, g.declaration FROM _functions f JOIN _signatures g ON g.id = f.signature_id " +
    "JOIN _modules m ON m.id = f.module_id JOIN _addresses a ON a.id = m.address_id",
  types:
    "SELECT t.text, a.address, m.name, u.struct FROM _types t LEFT JOIN _type_structs u ON u.type_id = t.id " +
    "LEFT JOIN _modules m ON m.id = u.module_id LEFT JOIN _addresses a ON a.id = m.address_id",
  type_counts: "SELECT t.text, c.params, c.returns, c.fields FROM _type_counts c JOIN _types t ON t.id = c.type_id",
  coverage: "SELECT a.address, c.from_version, c.to_version FROM _coverage c JOIN _addresses a ON a.id = c.address_id",
  account_spans:
    "SELECT a.address, s.from_version, s.to_version, s.sequence_number, lower(hex(s.authentication_key)) AS key, lower(hex(s.resource)) AS resource " +
    "FROM _account_spans s JOIN _addresses a ON a.id = s.address_id",
  listing_spans:
    "SELECT a.address, s.from_version, s.to_version, lower(hex(l.digest)) AS digest, l.modules " +
    "FROM _listing_spans s JOIN _addresses a ON a.id = s.address_id LEFT JOIN _listings l ON l.id = s.listing_id",
  listing_modules:
    "SELECT DISTINCT lower(hex(l.digest)) AS digest, m.name, lower(hex(b.sha256)) AS sha256 FROM _listing_spans s JOIN _listings l ON l.id = s.listing_id " +
    "JOIN _listing_modules m ON m.listing_id = l.id JOIN _bytecodes b ON b.id = m.bytecode_id",
  seals: "SELECT ledger_version, lower(hex(records_digest)) AS records_digest FROM _all_snapshots",
  work_in_hand: "SELECT ledger_version, position, state FROM _visits",
} as const;

/**
 * A database's content in a form that is equal for equal observations: every public view except those about runs and nodes and twins, and
 * every table behind them, whatever the order of the rows.
 */
export function databaseContent(path: string): DatabaseContent {
  const questions = [
    ...viewList.filter(({ name }) => !aboutRuns.has(name) && !isTwin(name)).map(({ name }) => [name, `SELECT * FROM ${name}`] as const),
    ...Object.entries(tables),
  ];
  return asked(path, (database) => Object.fromEntries(questions.map(([name, sql]) => [name, rowsOf(database, sql)])));
}

function rowsOf(database: Database.Database, sql: string): string[] {
  const statement = database.prepare<[], unknown[]>(sql).safeIntegers().raw();
  const isBytecodes = sql === tables.bytecodes;
  const columns = statement
    .columns()
    .flatMap(({ name }, i) => (isBytecodes || !bookkeeping.has(name) ? [[`["${name}",`, i] as const] : []));
  const textOf = (cell: unknown): string => (typeof cell === "bigint" ? `"${cell}"` : JSON.stringify(cell));
  const lines = statement.all().map((row) => `[${columns.map(([name, i]) => `${name}${textOf(row[i])}]`).join(",")}]`);
  return lines.sort();
}
