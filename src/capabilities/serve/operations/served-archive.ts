import { formatHex } from "../../../core/base/bytes.ts";
import { type CodeCells, codeColumns, codeJoin, readBases } from "../../../core/db/archive/content/code-blobs.ts";
import { type RecordCells, recordIn, type StoredRecord } from "../../../core/db/archive/snapshots/covering.ts";
import { madeAt } from "../../../core/db/archive/times/ledger-times.ts";
import { databaseAt } from "../../../core/db/engine/database-at.ts";
import type { Integer, Session } from "../../../core/db/engine/engine.ts";
import { condition, hex, orUndefined, rowOf, text, version, whole } from "../../../core/db/engine/row-shape.ts";
import { flag } from "../../../core/db/schema/sql/functions.ts";
import {
  coverage as codeCoverage,
  coveredAfter,
  coveredBefore,
  includesVersion,
  moduleSpans,
  recordCoverage,
  sealed,
} from "../../../core/db/schema/sql/predicates.ts";
import { type Sql, sql } from "../../../core/db/schema/sql/sql.ts";
import { MovedexError, present } from "../../../core/errors.ts";
import type { Address } from "../../../core/move/address.ts";
import { MODULE_SIZE_MAX } from "../../../core/move/module/cursor.ts";
import { type ArchiveHead, readHead } from "../archive-head.ts";
import { moduleKey } from "./state-key.ts";

/** Number of a row inside this database. */
export type RowId = Integer;

/** A module of a listing, with its key as `moduleKey` writes it. */
export type OrderedModule = { readonly name: string; readonly bytecode: RowId; readonly key: string };

/** Sorts modules as their state keys are sorted. */
export function compareModules(a: OrderedModule, b: OrderedModule): number {
  return a.key < b.key ? -1 : a.key > b.key ? 1 : 0;
}

const coveredIn = (of: Sql) =>
  condition(flag(sql`EXISTS (SELECT 1 FROM ${of} c WHERE c.address_id = a.id AND ${includesVersion("c", ":version")})`));
const coverage = rowOf({
  account: whole("a.id"),
  isSealed: condition(flag(sql`EXISTS (SELECT 1 FROM _all_snapshots p WHERE p.ledger_version = :version AND ${sealed("p")})`)),
  /** Whether its snapshot has an answer about this part of the account. */
  record: coveredIn(recordCoverage),
  modules: coveredIn(sql`_coverage`),
});
/** The sealed snapshots on both sides of a version that cover an account; undefined where there is none. */
export type Neighbours = { readonly previous: bigint | undefined; readonly next: bigint | undefined };

/** What of an account is asked for: nights may leave the record unread and read the modules alone. */
export type AccountPart = keyof typeof neighbours;

type At = { readonly account: Integer; readonly version: bigint };
const [ofAccount, atVersion] = [sql`:account`, sql`:version`];
const neighboursIn = (of: Sql) =>
  sql<[Integer | null, Integer | null], At>`SELECT ${coveredBefore(ofAccount, atVersion, of)}, ${coveredAfter(ofAccount, atVersion, of)}`;
const neighbours = { modules: neighboursIn(codeCoverage), record: neighboursIn(recordCoverage) };
const record = sql<RecordCells, At>`SELECT s.sequence_number, s.authentication_key, s.resource FROM _account_spans s
  WHERE s.address_id = :account AND ${includesVersion("s", ":version")}`;
const standing = sql`SELECT s.name, s.bytecode_id FROM ${moduleSpans} s WHERE s.address_id = :account AND ${includesVersion("s", ":version")}`;
const modules = sql<[name: string, bytecode: Integer], At>`${standing}`;
const named = sql<[name: string, bytecode: Integer], At & { name: string }>`${standing} AND s.name = :name`;
const packed = sql<CodeCells>`SELECT ${codeColumns} FROM _bytecodes b ${codeJoin} WHERE b.id = :id`;
const coverageAt = sql`SELECT ${coverage.columns} FROM _addresses a WHERE a.address = :address`;
const gap = sql<[string], At>`SELECT m.reason FROM _all_gaps m WHERE m.ledger_version = :version
  AND m.address_id = :account`;
const snapshot = rowOf({
  ledgerVersion: version("p.ledger_version"),
  status: text<"sealed" | "sealed_with_gaps">("p.status"),
  sealedAt: whole("p.sealed_at"),
  accounts: whole("p.accounts"),
  modules: whole("p.modules"),
  gaps: whole("p.gaps"),
  digest: hex("p.digest"),
  ...madeAt("p.ledger_version"),
});
/** An account that a snapshot has no answer about. What the node said is not among it: that text is the operator's own. */
const heldGap = rowOf({ address: text<Address>("a.address"), reason: text("m.reason") });

/** A sealed snapshot as `serve` shows it. Times in milliseconds since 1970; the digest as 64 hex digits, see `sealQueries`. */
export type HeldSnapshot = ReturnType<typeof snapshot.read>;

const snapshots = sql`SELECT ${snapshot.columns} FROM _all_snapshots p WHERE ${sealed("p")}`;
const snapshotPage = sql`${snapshots} AND p.ledger_version < :below ORDER BY p.ledger_version DESC LIMIT :limit`;
const oneSnapshot = sql`${snapshots} AND p.ledger_version = :version`;
const gaps = sql`SELECT ${heldGap.columns} FROM _all_gaps m JOIN _addresses a ON a.id = m.address_id WHERE m.ledger_version = :version
  ORDER BY length(a.address), a.address LIMIT :limit`;

/** A point read of `trace`. */
export type Probe<T> = { readonly version: bigint; readonly value: T };

/** A point read of one module. */
const moduleProbe = rowOf({
  version: version("p.ledger_version"),
  name: text("p.name"),
  /** Undefined where there was no such module. */
  bytecode: orUndefined(whole("p.bytecode_id")),
});

const moduleProbes = sql`SELECT ${moduleProbe.columns} FROM _module_probes p WHERE p.address_id = :account`;
const probesOfModule = sql`${moduleProbes} AND p.name = :name ORDER BY p.ledger_version`;
const modulesBetween = sql`${moduleProbes} AND p.ledger_version > :after AND p.ledger_version < :before ORDER BY p.ledger_version`;
// A point read takes the two fields of a record in JSON.
const recordProbes = sql<[version: Integer, ...RecordCells], { account: Integer }>`SELECT p.ledger_version, p.sequence_number,
  p.authentication_key, NULL FROM _account_probes p WHERE p.address_id = :account ORDER BY p.ledger_version`;

/** A database that is open to be answered from; nothing in it is changed. */
export type ServedArchive = Awaited<ReturnType<typeof openServedArchive>>;

/** The bounds of what one process takes of a server, and how long it waits there; of a file, how long for another's exclusive lock. */
const LIMITS = { connections: 6, statementTimeoutMs: 5_000, lockTimeoutMs: 250 } as const;

/** On a server: a seal is seen within half a second, and one that is gone is waited for four times a second at most. */
const HEAD_MS = 250;

/**
 * Opens a database file, or a PostgreSQL database, to answer from it. Ask `accountCoverage` first: other answers mean nothing for a version
 * or account that is not covered. @throws StoreError
 */
export async function openServedArchive(path: string) {
  const database = databaseAt(path);
  const { engine, close, watch } = await database.open({ mode: "read", ...LIMITS });
  const { changes, isReplaced } = await watch();
  return {
    changes,
    /** How long the head holds before it has to be asked for again, in milliseconds: 0 where `changes` tells. */
    headMs: changes === undefined ? HEAD_MS : 0,
    isReplaced,
    close,
    /** Undefined while nothing is sealed; `known` itself while no other snapshots are sealed than when that was read. */
    head: (known: ArchiveHead | undefined): Promise<ArchiveHead | undefined> => readHead(engine, known),
    /** Undefined when no snapshot ever planned the account. */
    accountCoverage: (address: Address, version: bigint) => coverage.first(engine, coverageAt, { address, version }),
    /** An account's nearest sealed snapshots that have an answer about that part of it, around a version and without it. */
    neighbours: (account: RowId, version: bigint, part: AccountPart): Promise<Neighbours> => neighboursOf(engine, account, version, part),
    /** Why a snapshot has no answer about an account; undefined when that was never asked for. */
    gapReason: async (account: RowId, version: bigint): Promise<string | undefined> => (await engine.first(gap, { account, version }))?.[0],
    /** An account's record; undefined when the node said that there is none. */
    record: async (account: RowId, version: bigint): Promise<StoredRecord | undefined> =>
      recordIn((await engine.first(record, { account, version })) ?? [null, null, null]),
    /** The bytecode of a module; undefined when there was no such module. */
    bytecode: async (account: RowId, version: bigint, name: string): Promise<RowId | undefined> =>
      (await engine.first(named, { account, version, name }))?.[1],
    /** An account's modules, in the order of their state keys. */
    listing: async (address: Address, account: RowId, version: bigint): Promise<readonly OrderedModule[]> => {
      const listed = await engine.all(modules, { account, version });
      return listed.map(([name, bytecode]) => ({ name, bytecode, key: moduleKey(address, name) })).sort(compareModules);
    },
    /** The point reads of a module, of an account's record, and of all its modules between two versions, in the order of versions. */
    probesOfModule: async (account: Integer, name: string): Promise<readonly Probe<RowId | undefined>[]> =>
      (await moduleProbe.all(engine, probesOfModule, { account, name })).map(({ version, bytecode }) => ({ version, value: bytecode })),
    recordProbes: async (account: Integer): Promise<readonly Probe<StoredRecord | undefined>[]> =>
      (await engine.all(recordProbes, { account })).map(([version, ...cells]) => ({ version: BigInt(version), value: recordIn(cells) })),
    moduleProbes: (account: Integer, after: bigint, before: bigint) => moduleProbe.all(engine, modulesBetween, { account, after, before }),
    /** Sealed snapshots below a version, newest first. */
    listSnapshots: (wanted: { readonly below: bigint; readonly limit: number }): Promise<readonly HeldSnapshot[]> =>
      snapshot.all(engine, snapshotPage, wanted),
    findSnapshot: (version: bigint): Promise<HeldSnapshot | undefined> => snapshot.first(engine, oneSnapshot, { version }),
    /** A snapshot's gaps in the order of addresses. */
    listGaps: (version: bigint, limit: number) => heldGap.all(engine, gaps, { version, limit }),
    /** The plain bytes of stored bytecode. @throws OversizedError for more than any chain stores, before it is unpacked */
    code: async (id: RowId): Promise<Uint8Array> => {
      const cells = present(await engine.first(packed, { id }), `there is no bytecode ${id}`);
      const [sha256, size] = cells;
      if (size > MODULE_SIZE_MAX) throw new OversizedError(sha256, Number(size));
      return (await readBases(engine, [cells]))(cells).code;
    },
  };
}

/** The nearest sealed snapshots before and after a version that cover an account, or have its record. */
export async function neighboursOf(session: Session, account: Integer, version: bigint, part: AccountPart): Promise<Neighbours> {
  const [previous, next] = (await session.first(neighbours[part], { account, version })) ?? [null, null];
  return { previous: previous === null ? undefined : BigInt(previous), next: next === null ? undefined : BigInt(next) };
}

/** Bytecode that a node gave, larger than what any chain stores: it is kept, and not worth its memory. */
export class OversizedError extends MovedexError {
  constructor(sha256: Uint8Array, size: number) {
    const facts = { sha256: formatHex(sha256), size };
    const words = `bytecode ${facts.sha256} has ${size} bytes, which no chain stores: a node gave it, and it is kept, but not served.`;
    super("MOVEDEX_OVERSIZED", words, { facts });
  }
}
