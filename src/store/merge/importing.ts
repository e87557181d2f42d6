import type { Database } from "better-sqlite3";
import { printable } from "../../base/printable.ts";
import type { Address } from "../../move/address.ts";
import type { ArchiveTableName } from "../../schema/archive.ts";
import { sourceTables } from "../../schema/tables/sources.ts";
import { workTables } from "../../schema/tables/work.ts";
import type { Synchronous } from "../connection/asynchronous.ts";
import type { HotStatements } from "../connection/hot-statements.ts";
import { prepareChecksum } from "../connection/row-checksum.ts";
import { guarded } from "../connection/sqlite-errors.ts";
import type { ContentStore } from "../content/content.ts";
import { sqliteStatements } from "../engine/sqlite/statements.ts";
import { StoreError } from "../errors.ts";
import type { SqlValue } from "../read/query-door.ts";
import { internAddress } from "../snapshots/pins.ts";
import type { ModuleContent } from "../snapshots/visit-model.ts";
import { addFinding, findingValues } from "../work/findings.ts";
import { prepareAccountRows } from "./account-rows.ts";
import { prepareImportedContent } from "./imported-content.ts";
import { prepareImportedPins } from "./imported-pins.ts";
import { prepareImportedProbes } from "./imported-probes.ts";
import { spansOver, versionsInside } from "./merge-spans.ts";
import { type AccountView, mergeAccount, type ReportFinding, SnapshotTally } from "./merging.ts";
import { prepareStagedArchive, type StagedArchive } from "./staged-archive.ts";
import { prepareStaging, stagedTable } from "./staging.ts";

/** What is known of the archive whose rows were staged. */
export type ImportRequest = {
  readonly chainId: number;
  readonly kind: "database" | "export";
  /** The file or directory, for people. */
  readonly name: string;
  /** SHA-256 in hex that names the archive's content. */
  readonly digest: string;
  /** Derives what there is to know of bytes that are not stored yet; `nodeAbi` is JSON text. */
  readonly derive: (code: Uint8Array, nodeAbi: string | null) => ModuleContent;
  readonly now: number;
};

/** What an import came to. */
export type ImportResult = {
  readonly snapshots: number;
  readonly newSnapshots: number;
  /** Accounts that the archive covers at some version. */
  readonly accounts: number;
  /** Answers (an account at a version) that nothing stored covered before. */
  readonly newAnswers: number;
  readonly newBytecodes: number;
  readonly findings: number;
};

/** A foreign archive on its way in. Rows wait beside the database file until `merge`. */
export type ImportSession = {
  /** @throws StoreError `MOVEDEX_STORE_ARCHIVE` at the first row that cannot be */
  readonly stage: (
    part: number,
    table: ArchiveTableName,
    rows: Iterable<readonly SqlValue[]> | AsyncIterable<readonly SqlValue[]>,
  ) => Promise<void>;
  /**
   * Merges all that was staged, in one transaction: everything or nothing. The content that comes out does not depend on the
   * order in which archives that agree are imported. What contradicts what is stored becomes a finding.
   * @throws StoreError `MOVEDEX_STORE_ARCHIVE` when the archive is inconsistent, its digests are not those of its content, or
   * it contradicts nearly everything; `MOVEDEX_STORE_CHAIN`; `MOVEDEX_STORE_PIN` when a crawl of one of its versions is unfinished here
   */
  readonly merge: (request: ImportRequest) => Promise<ImportResult>;
  readonly end: () => Promise<void>;
};

/** Bringing in what others observed. */
export type ImportStore = {
  readonly beginImport: () => Promise<ImportSession>;
  /** Stores bytecode without an account or version: no snapshot changes. Returns the number of new ones. `digest` is called at the end. */
  readonly importModules: (
    modules: Iterable<ModuleContent>,
    source: { readonly name: string; readonly digest: () => string },
    now: number,
  ) => Promise<number>;
};

/** This number of contradictions means that the archive is of another ledger with the same chain id. */
const FINDINGS_MAX = 10_000;

const PAGE = 512;

/** How many rows are staged in one transaction. */
const STAGED_AT_ONCE = 1024;

/** Prepares imports on a connection. */
export function prepareImports(database: Database, statements: HotStatements, content: ContentStore): Synchronous<ImportStore> {
  const addSource = database
    .prepare<[string, string, string, number], bigint>(
      "INSERT INTO sources (kind, name, digest, imported_at) VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET name = excluded.name, imported_at = excluded.imported_at RETURNING id",
    )
    .pluck();
  const checkSource = prepareChecksum<[id: bigint]>(database, sourceTables.sources);
  const recordSource = (...source: Parameters<typeof addSource.get>): bigint => {
    const id = addSource.get(...source) as bigint;
    checkSource(id);
    return id;
  };
  const importModules: Synchronous<ImportStore>["importModules"] = (modules, source, now) => {
    const imported = prepareImportedContent(database, statements, content);
    let count = 0;
    for (const module of modules) if (imported.add(module)) count += 1;
    recordSource("modules", printable(source.name), source.digest(), now);
    return count;
  };
  return {
    beginImport: () => {
      const staging = prepareStaging(database);
      const merge = (request: ImportRequest): ImportResult => {
        requireChain(database, request.chainId);
        const source = recordSource(request.kind, printable(request.name), request.digest, request.now);
        return mergeStaged(database, statements, content, request, source);
      };
      const whole = database.transaction(merge).immediate;
      const doing = "import into the database";
      return {
        stage: async (part, table, rows) => {
          for await (const batch of batchesOf(rows, STAGED_AT_ONCE)) guarded(database.name, doing, () => staging.stage(part, table, batch));
        },
        merge: async (request) => guarded(database.name, doing, () => whole(request)),
        end: async () => staging.drop(),
      };
    },
    importModules: database.transaction(importModules).immediate,
  };
}

function mergeStaged(
  database: Database,
  statements: HotStatements,
  content: ContentStore,
  request: ImportRequest,
  source: bigint,
): ImportResult {
  const staged = prepareStagedArchive(database);
  const pins = prepareImportedPins(database, statements);
  const { report, count } = reporter(database, request);
  const imported = prepareImportedContent(database, statements, content, { staged, derive: request.derive, report });
  const held = pins.begin(staged.snapshots);
  const { tally, accounts, newAnswers } = mergeAccounts(database, statements, staged, held, imported.idOf, report);
  imported.addRest();
  pins.finish(staged.snapshots, tally, source, newAnswers);
  prepareImportedProbes(database, statements).merge(imported.idOf, report);
  const isHeld = new Set(held);
  return {
    snapshots: staged.snapshots.length,
    newSnapshots: staged.snapshots.filter(({ version }) => !isHeld.has(version)).length,
    accounts,
    newAnswers: [...newAnswers.values()].reduce((sum, n) => sum + n, 0),
    newBytecodes: imported.newBytecodes(),
    findings: count(),
  };
}

async function* batchesOf<T>(rows: Iterable<T> | AsyncIterable<T>, size: number): AsyncGenerator<readonly T[]> {
  let batch: T[] = [];
  for await (const row of rows) {
    if (batch.push(row) < size) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

type MergedAccounts = { readonly tally: SnapshotTally; readonly accounts: number; readonly newAnswers: ReadonlyMap<bigint, number> };

function mergeAccounts(
  database: Database,
  statements: HotStatements,
  staged: StagedArchive,
  held: readonly bigint[],
  bytecodeId: (address: bigint, name: string, sha256: string, older: string | undefined) => bigint,
  report: ReportFinding,
): MergedAccounts {
  const stored = prepareAccountRows(database);
  const versions = staged.snapshots.map(({ version }) => version);
  const sequence = [...new Set([...held, ...versions])].sort((a, b) => (a < b ? -1 : 1));
  const tally = new SnapshotTally(versions);
  const newAnswers = new Map(versions.map((version) => [version, 0]));
  let accounts = 0;

  const mergeOne = (address: Address, found: AccountView): void => {
    const id = internAddress(statements, address);
    const before = stored.read(id);
    const view = { ...before, covered: versionsInside(held, before.coverage) };
    const isKnown = new Set(view.covered);
    const merged = mergeAccount(address, view, found, report);
    stored.writeContent(id, before, merged, (name, sha256, older) => bytecodeId(id, name, sha256, older));
    stored.writeCoverage(id, before.coverage, spansOver(sequence, merged.covered));
    tally.add(address, found);
    for (const version of found.covered) if (!isKnown.has(version)) newAnswers.set(version, (newAnswers.get(version) ?? 0) + 1);
    accounts += 1;
  };

  for (const address of inOrder(database)) {
    const found = staged.account(address);
    if (found !== undefined) mergeOne(address, found);
    else if (sequence.length > held.length) {
      // Snapshots that do not cover an account part its coverage.
      const id = statements.addressId.get(address) as bigint;
      const before = stored.readCoverage(id);
      stored.writeCoverage(id, before, spansOver(sequence, versionsInside(held, before)));
    }
  }
  return { tally, accounts, newAnswers };
}

/** Every address that the archive or the database says something of, in the order of digests: by their bytes. */
function* inOrder(database: Database): Generator<Address> {
  database.exec(
    "CREATE TEMP TABLE IF NOT EXISTS merge_order (position INTEGER PRIMARY KEY, address TEXT NOT NULL) STRICT; DELETE FROM temp.merge_order",
  );
  const staged = (["archive_coverage", "archive_accounts", "archive_modules"] as const).map(
    (table) => `SELECT address FROM ${stagedTable(table)}`,
  );
  database.exec(
    "INSERT INTO temp.merge_order SELECT row_number() OVER (ORDER BY length(address), address), address FROM " +
      `(${staged.join(" UNION ")} UNION SELECT a.address FROM coverage c JOIN addresses a ON a.id = c.address_id)`,
  );
  const page = database
    .prepare<[number, number], Address>("SELECT address FROM temp.merge_order WHERE position > ? AND position <= ? ORDER BY position")
    .pluck();
  for (let position = 0; ; position += PAGE) {
    const addresses = page.all(position, position + PAGE);
    if (addresses.length === 0) return;
    yield* addresses;
  }
}

function reporter(database: Database, { name, now }: ImportRequest): { readonly report: ReportFinding; readonly count: () => number } {
  const statements = sqliteStatements(database);
  let findings = 0;
  return {
    count: () => findings,
    report: (finding) => {
      findings += 1;
      if (findings > FINDINGS_MAX) {
        throw new StoreError(
          "MOVEDEX_STORE_CHAIN",
          `the archive \`${printable(name)}\` contradicts what is stored in more than ${FINDINGS_MAX} places: it is of another ledger with the same chain id. Nothing was imported.`,
          { facts: { name } },
        );
      }
      const values = findingValues({ ...finding, origin: name }, now);
      for (const statement of addFinding) statements.run(statement, values);
    },
  };
}

function requireChain(database: Database, chainId: number): void {
  const bound = database.prepare<[], bigint | null>("SELECT chain_id FROM archive").pluck().get() ?? null;
  if (bound === null) {
    database.prepare<[number]>("UPDATE archive SET chain_id = ?").run(chainId);
    prepareChecksum<[id: number]>(database, workTables.archive)(1);
  } else if (Number(bound) !== chainId) {
    throw new StoreError(
      "MOVEDEX_STORE_CHAIN",
      `this database is of chain ${bound}, and the archive is of chain ${chainId}. Nothing was imported. Use another --db for another chain.`,
      { facts: { stored: bound, found: chainId } },
    );
  }
}
