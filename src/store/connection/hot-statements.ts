import type { Database } from "better-sqlite3";
import { workTables } from "../../schema/tables/work.ts";
import { prepareChecksum } from "./row-checksum.ts";

/** The part of a prepared statement that is used here, under a name of our own: declaration files cannot write down the library's. */
export type Prepared<P extends unknown[], R = unknown> = {
  readonly run: (...parameters: P) => { readonly changes: number; readonly lastInsertRowid: number | bigint };
  readonly get: (...parameters: P) => R | undefined;
  readonly all: (...parameters: P) => R[];
};

/** Rows as SQLite hands them over, as lists: integers are bigint. Making an object of each costs as much as finding it. */
export type VisitRow = readonly [
  position: bigint,
  addressId: bigint,
  address: string,
  sameAsVersion: bigint | null,
  hasRecord: bigint | null,
  sequenceNumber: string | null,
  authenticationKey: Uint8Array | null,
  resource: Uint8Array | null,
];
type PlannedRow = readonly [addressId: bigint | null, pinStatus: string | null, isPlanned: bigint, isRedone: bigint];
type SpanRow = readonly [from: bigint, to: bigint | null];
type RecordSpanRow = readonly [...SpanRow, sequenceNumber: string, authenticationKey: Uint8Array, resource: Uint8Array | null];
type ModuleSpanRow = readonly [...SpanRow, name: string, bytecodeId: bigint];
type ModuleRow = readonly [name: string, bytecodeId: bigint];
type DigestRow = readonly [name: string, sha256: Uint8Array];

/** The parameters of a question at a version: the account, and the version twice, for either end of a span. */
type At = [address: bigint, version: bigint, again: bigint];

const holds = "from_version <= ? AND (to_version IS NULL OR to_version >= ?)";
const sealed = "status IN ('sealed', 'sealed_with_gaps')";

/**
 * The statements of the hot paths, prepared once for a connection: a visit, and the sealing of a snapshot. A prepared
 * statement costs several times less than a query built anew, and better-sqlite3 frees unused ones only when the event
 * loop turns.
 */
export function prepareHotStatements(database: Database) {
  const rows = <P extends unknown[], R>(sql: string): Prepared<P, R> => database.prepare(sql).raw(true) as unknown as Prepared<P, R>;
  const value = <P extends unknown[], V>(sql: string): Prepared<P, V> => database.prepare(sql).pluck() as unknown as Prepared<P, V>;
  const change = <P extends unknown[]>(sql: string): Prepared<P> => database.prepare(sql) as unknown as Prepared<P>;

  const addressId = value<[string], bigint>("SELECT id FROM addresses WHERE address = ?");
  // Only scalar questions: a join of the two would make a temporary table for each visit, at ten times the cost.
  const planned = rows<
    [pin: bigint, visit: bigint, visited: bigint | null, miss: bigint, missed: bigint | null],
    readonly [status: string | null, state: string | null, isMissed: bigint]
  >(
    "SELECT (SELECT status FROM pins WHERE ledger_version = ?), (SELECT state FROM visits WHERE ledger_version = ? AND address_id = ?), " +
      "EXISTS (SELECT 1 FROM misses WHERE ledger_version = ? AND address_id = ?)",
  );

  return {
    addressId,
    addAddress: change<[string]>("INSERT INTO addresses (address) VALUES (?)"),
    bytecodeId: value<[Uint8Array], bigint>("SELECT id FROM bytecodes WHERE sha256 = ?"),
    bytecodeDigest: value<[bigint], Uint8Array>("SELECT sha256 FROM bytecodes WHERE id = ?"),

    pinStatus: value<[bigint], string>("SELECT status FROM pins WHERE ledger_version = ?"),
    sealedBefore: value<[bigint], bigint>(`SELECT max(ledger_version) FROM pins WHERE ledger_version < ? AND ${sealed}`),
    sealedAfter: value<[bigint], bigint>(`SELECT min(ledger_version) FROM pins WHERE ledger_version > ? AND ${sealed}`),

    coverageOf: rows<[bigint], SpanRow>("SELECT from_version, to_version FROM coverage WHERE address_id = ? ORDER BY from_version"),
    coverageAt: rows<At, SpanRow>(`SELECT from_version, to_version FROM coverage WHERE address_id = ? AND ${holds}`),
    recordAt: rows<At, RecordSpanRow>(
      `SELECT from_version, to_version, sequence_number, authentication_key, resource FROM account_spans WHERE address_id = ? AND ${holds}`,
    ),
    modulesAt: rows<At, ModuleSpanRow>(
      `SELECT from_version, to_version, name, bytecode_id FROM module_spans WHERE address_id = ? AND ${holds} ORDER BY name`,
    ),
    digestsAt: rows<At, DigestRow>(
      `SELECT name, sha256 FROM module_spans JOIN bytecodes ON id = bytecode_id WHERE address_id = ? AND ${holds} ORDER BY name`,
    ),

    /** Whether an account is covered at a version, and its modules in one text: making a row of each costs five times as much. */
    listingAt: rows<[...At, ...At], readonly [isCovered: bigint, modules: string | null]>(
      `SELECT EXISTS (SELECT 1 FROM coverage WHERE address_id = ? AND ${holds}), ` +
        `(SELECT group_concat(name || char(10) || bytecode_id, char(10)) FROM module_spans WHERE address_id = ? AND ${holds})`,
    ),

    planned: {
      get: ({ address, version }: { readonly address: string; readonly version: bigint }): PlannedRow => {
        const id = addressId.get(address) ?? null;
        const [status, state, isMissed] = planned.get(version, version, id, version, id) ?? [null, null, 0n];
        return [id, status, state === null ? 0n : 1n, state !== "planned" || isMissed === 1n ? 1n : 0n];
      },
    },
    clearListing: change<[bigint, bigint]>("DELETE FROM visit_modules WHERE ledger_version = ? AND address_id = ?"),
    addListed: change<[bigint, bigint, string, bigint]>(
      "INSERT INTO visit_modules (ledger_version, address_id, name, bytecode_id) VALUES (?, ?, ?, ?)",
    ),
    listed: rows<[bigint, bigint], ModuleRow>(
      "SELECT name, bytecode_id FROM visit_modules WHERE ledger_version = ? AND address_id = ? ORDER BY name",
    ),
    markVisited: change<[bigint | null, bigint | null, string | null, Uint8Array | null, Uint8Array | null, bigint, bigint]>(
      "UPDATE visits SET state = 'visited', same_as_version = ?, has_record = ?, sequence_number = ?, authentication_key = ?, resource = ? " +
        "WHERE ledger_version = ? AND address_id = ?",
    ),
    markMissed: change<[bigint, bigint]>("UPDATE visits SET state = 'missed' WHERE ledger_version = ? AND address_id = ?"),
    clearMiss: change<[bigint, bigint]>("DELETE FROM misses WHERE ledger_version = ? AND address_id = ?"),
    addMiss: change<[bigint, bigint, string, string | null, number | null, string, number, number, number, number]>(
      "INSERT INTO misses (ledger_version, address_id, reason, error_code, http_status, message, attempts, is_final, first_at, last_at) " +
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET reason = excluded.reason, error_code = excluded.error_code, " +
        "http_status = excluded.http_status, message = excluded.message, attempts = attempts + excluded.attempts, is_final = excluded.is_final, last_at = excluded.last_at",
    ),
    checkMiss: prepareChecksum<[version: bigint, address: bigint]>(database, workTables.misses),
    visitedPage: rows<[bigint, bigint, number], VisitRow>(
      "SELECT position, address_id, address, same_as_version, has_record, sequence_number, authentication_key, resource " +
        "FROM visits JOIN addresses ON id = address_id WHERE ledger_version = ? AND position > ? AND state = 'visited' ORDER BY position LIMIT ?",
    ),

    addCoverage: change<[bigint, bigint, bigint | null]>("INSERT INTO coverage (address_id, from_version, to_version) VALUES (?, ?, ?)"),
    setCoverageFrom: change<[bigint, bigint, bigint]>("UPDATE coverage SET from_version = ? WHERE address_id = ? AND from_version = ?"),
    setCoverageTo: change<[bigint | null, bigint, bigint]>("UPDATE coverage SET to_version = ? WHERE address_id = ? AND from_version = ?"),
    addRecord: change<[bigint, bigint, bigint | null, string, Uint8Array, Uint8Array | null]>(
      "INSERT INTO account_spans (address_id, from_version, to_version, sequence_number, authentication_key, resource) VALUES (?, ?, ?, ?, ?, ?)",
    ),
    setRecordFrom: change<[bigint, bigint, bigint]>("UPDATE account_spans SET from_version = ? WHERE address_id = ? AND from_version = ?"),
    setRecordTo: change<[bigint | null, bigint, bigint]>(
      "UPDATE account_spans SET to_version = ? WHERE address_id = ? AND from_version = ?",
    ),
    addModule: change<[bigint, string, bigint, bigint | null, bigint]>(
      "INSERT INTO module_spans (address_id, name, from_version, to_version, bytecode_id) VALUES (?, ?, ?, ?, ?)",
    ),
    setModuleFrom: change<[bigint, bigint, string, bigint]>(
      "UPDATE module_spans SET from_version = ? WHERE address_id = ? AND name = ? AND from_version = ?",
    ),
    setModuleTo: change<[bigint | null, bigint, string, bigint]>(
      "UPDATE module_spans SET to_version = ? WHERE address_id = ? AND name = ? AND from_version = ?",
    ),
  };
}

/** The prepared statements of one connection. */
export type HotStatements = ReturnType<typeof prepareHotStatements>;
