import type { Database } from "better-sqlite3";
import type { ModuleAbi } from "../../abi/model.ts";
import { parseNodeAbi } from "../../abi/node-json/parse.ts";
import { formatHex } from "../../base/hex.ts";
import type { Address } from "../../move/address.ts";
import { type ArchiveTableName, archiveTables } from "../../schema/archive.ts";
import { holds, sealed } from "../../schema/sql/predicates.ts";
import { MODULE_SPANS } from "../../schema/sql/spans.ts";
import { inSqlite } from "../../schema/sql/sqlite-words.ts";
import { viewList } from "../../schema/views/views.ts";
import { asynchronous, type Synchronous } from "../connection/asynchronous.ts";
import { openSqlite } from "../connection/open-sqlite.ts";
import { translateSqliteError } from "../connection/sqlite-errors.ts";
import { prepareCodeReader } from "../content/code-blobs.ts";
import type { SqlParameters, SqlValue } from "../read/query-door.ts";

/** One sealed snapshot of a database, as an export names it. `digest` is 64 hex digits. */
export type SealedSnapshot = {
  readonly ledgerVersion: bigint;
  readonly status: string;
  readonly accounts: number;
  readonly modules: number;
  readonly gaps: number;
  readonly digest: string;
};

/** One module at a snapshot. `nodeAbi` is there when a node gave the ABI of bytes that movedex could not decode. */
export type ExportedModule = {
  readonly address: Address;
  readonly name: string;
  readonly sha256: string;
  readonly code: Uint8Array;
  readonly nodeAbi: ModuleAbi | undefined;
};

/** Reading a whole database out. All rows come from one state of it, whatever is written meanwhile, and are read as they are consumed. */
export type ExportDoor = {
  readonly path: string;
  readonly chainId: number | null;
  /** Oldest version first. */
  readonly snapshots: readonly SealedSnapshot[];
  /** Rows of an archive table for these versions; bytecode that stands in `given` versions is left out. See `archiveTables`. */
  readonly archiveRows: (
    table: ArchiveTableName,
    versions: readonly bigint[],
    given: readonly bigint[],
  ) => AsyncIterable<readonly SqlValue[]>;
  /** Rows of a public view with a ledger version, version by version, each in the order of its columns. */
  readonly viewRows: (view: string, versions: readonly bigint[]) => AsyncIterable<readonly SqlValue[]>;
  /** Every module that stands at a version, by address, then by name. */
  readonly modules: (version: bigint) => AsyncIterable<ExportedModule>;
  readonly close: () => Promise<void>;
};

type SnapshotRow = Record<"ledger_version" | "accounts" | "modules" | "gaps", bigint> & {
  readonly status: string;
  readonly digest: Uint8Array;
};

/** Opens a database for reading it out. @throws StoreError */
export async function openExportDoor(path: string): Promise<ExportDoor> {
  const { database, close } = openSqlite(path, { mode: "read" });
  try {
    database.exec(
      "CREATE TEMP TABLE chosen (ledger_version INTEGER PRIMARY KEY) STRICT; CREATE TEMP TABLE given (ledger_version INTEGER PRIMARY KEY) STRICT",
    );
    database.exec("BEGIN");
    const chainId = database.prepare<[], bigint | null>("SELECT chain_id FROM archive").pluck().get() ?? null;
    const { bySha256 } = prepareCodeReader(database);
    const codeOf: CodeOf = (sha256) => bySha256(sha256) as Uint8Array;
    const methods: Synchronous<ExportDoor> = {
      path,
      chainId: chainId === null ? null : Number(chainId),
      snapshots: readSnapshots(database),
      archiveRows: function* (table, versions, given) {
        fill(database, "chosen", versions);
        fill(database, "given", given);
        const rows = iterate(database, archiveTables[table].sqlite);
        yield* table === "archive_bytecodes" ? bytecodeRows(rows, codeOf) : rows;
      },
      viewRows: function* (view, versions) {
        yield* viewRows(database, view, versions);
      },
      modules: function* (version) {
        yield* modulesAt(database, version, codeOf);
      },
      close,
    };
    return asynchronous<ExportDoor>(methods, "read the database", path);
  } catch (error) {
    close();
    throw translateSqliteError(error, "read the database", path);
  }
}

function readSnapshots(database: Database): SealedSnapshot[] {
  const rows = database
    .prepare<[], SnapshotRow>(
      `SELECT p.ledger_version, p.status, p.accounts, p.modules, p.gaps, p.digest FROM pins p WHERE ${inSqlite(sealed("p"))} ORDER BY p.ledger_version`,
    )
    .all();
  return rows.map((row) => ({
    ledgerVersion: row.ledger_version,
    status: row.status,
    accounts: Number(row.accounts),
    modules: Number(row.modules),
    gaps: Number(row.gaps),
    digest: formatHex(row.digest),
  }));
}

function fill(database: Database, list: "chosen" | "given", versions: readonly bigint[]): void {
  database.exec(`DELETE FROM temp.${list}`);
  const add = database.prepare<[bigint]>(`INSERT INTO temp.${list} VALUES (?)`);
  for (const version of versions) add.run(version);
}

function* iterate(database: Database, sql: string, parameters: SqlParameters = []): Generator<readonly SqlValue[]> {
  yield* database.prepare<unknown[], SqlValue[]>(sql).raw(true).iterate(parameters);
}

function* viewRows(database: Database, name: string, versions: readonly bigint[]): Generator<readonly SqlValue[]> {
  const view = viewList.find((candidate) => candidate.name === name);
  if (view === undefined) throw new RangeError(`there is no view ${name}`);
  const columns = Object.keys(view.columns);
  const sql = `SELECT ${columns.join(", ")} FROM ${name} WHERE ledger_version = @version ORDER BY ${columns.map((_, i) => i + 1).join(", ")}`;
  for (const version of versions) yield* iterate(database, sql, { version });
}

type CodeOf = (sha256: Uint8Array) => Uint8Array;

// Questions inside a running one are refused on one connection unless they only read; these do.
function* bytecodeRows(rows: Iterable<readonly SqlValue[]>, codeOf: CodeOf): Generator<readonly SqlValue[]> {
  for (const [sha256, digest, nodeAbi] of rows) yield [sha256 as string, codeOf(digest as Uint8Array), nodeAbi as string | null];
}

function* modulesAt(database: Database, version: bigint, codeOf: CodeOf): Generator<ExportedModule> {
  const sql =
    `SELECT a.address, s.name, b.sha256, b.node_abi FROM ${MODULE_SPANS} s ` +
    `JOIN coverage c ON c.address_id = s.address_id AND ${inSqlite(holds("c", ":version"))} ` +
    "JOIN addresses a ON a.id = s.address_id JOIN bytecodes b ON b.id = s.bytecode_id " +
    `WHERE ${inSqlite(holds("s", ":version"))} ORDER BY length(a.address), a.address, s.name`;
  for (const [address, name, sha256, nodeAbi] of iterate(database, sql, { version })) {
    yield {
      address: address as Address,
      name: name as string,
      sha256: formatHex(sha256 as Uint8Array),
      code: codeOf(sha256 as Uint8Array),
      nodeAbi: nodeAbi === null ? undefined : parseNodeAbi(JSON.parse(nodeAbi as string)),
    };
  }
}
