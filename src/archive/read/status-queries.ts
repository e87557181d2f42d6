import { formatHex } from "../../base/hex.ts";
import type { Engine, Integer } from "../../engine/engine.ts";
import type { Address } from "../../move/address.ts";
import { holds, sealed } from "../../schema/sql/predicates.ts";
import { type Sql, sql } from "../../schema/sql/sql.ts";
import { databaseBytes } from "../../schema/sql/words.ts";
import type { PinStatus } from "../snapshots/pins.ts";
import { type MadeAt, type MadeAtCells, madeAt, toMadeAt } from "../times/made-at.ts";

/** A snapshot's counts. Of an unsealed snapshot they are the counts so far, and there is no digest. */
export type SnapshotCounts = {
  readonly chainId: number;
  readonly ledgerVersion: bigint;
  readonly status: PinStatus;
  readonly createdAt: number;
  readonly sealedAt: number | null;
  readonly planned: number;
  /** Accounts still to visit; a sealed snapshot has some when it was extended and not sealed again. */
  readonly left: number;
  /** Requests for these where each has one page of modules: the record is one more where it is to be read. */
  readonly requestsLeft: number;
  readonly accounts: number;
  readonly modules: number;
  readonly changedModules: number;
  readonly gaps: number;
  readonly digest: string | null;
  /** Targets left to other nights by choice; null when it was to read all that it was asked for. */
  readonly passedOver: number | null;
  /** Accounts that answered of which the modules alone were read, and not the record. */
  readonly unreadRecords: number;
} & MadeAt;

/** A target without an answer. */
export type Gap = {
  readonly ledgerVersion: bigint;
  readonly address: Address;
  readonly reason: string;
  readonly errorCode: string | null;
  readonly httpStatus: number | null;
  readonly message: string;
  readonly attempts: number;
  readonly isFinal: boolean;
} & MadeAt;

/** What the whole database holds. */
export type ArchiveTotals = {
  readonly chainId: number | null;
  readonly snapshots: number;
  readonly oldestSnapshot: bigint | null;
  readonly newestSnapshot: bigint | null;
  readonly accounts: number;
  readonly bytecodes: number;
  readonly undecodedBytecodes: number;
  /** Bytecodes that are stored and whose rows are still to come. */
  readonly underivedBytecodes: number;
  /** Plain size of all distinct bytecode in bytes. */
  readonly bytecodeBytes: number;
  readonly abis: number;
  readonly functions: number;
  readonly structs: number;
  readonly targets: number;
  readonly gaps: number;
  /** Size of the database in bytes; of a file, its write-ahead log not counted. */
  readonly fileBytes: number;
};

/** What is held and what is missing. */
export type StatusStore = {
  /** @throws RangeError when the version is not pinned */
  readonly snapshotCounts: (ledgerVersion: bigint) => Promise<SnapshotCounts>;
  /** All snapshots, unsealed and abandoned ones included, newest version first. */
  readonly listSnapshots: () => Promise<SnapshotCounts[]>;
  /** Gaps, newest snapshot first, then by address; of one snapshot when it is named. */
  readonly listGaps: (options: { readonly ledgerVersion?: bigint; readonly limit: number }) => Promise<Gap[]>;
  /** How many gaps there are of each reason, the commonest first. */
  readonly gapReasons: () => Promise<ReadonlyMap<string, number>>;
  readonly holdings: () => Promise<ArchiveTotals>;
};

type CountsRow = [
  version: Integer,
  status: PinStatus,
  createdAt: number,
  sealedAt: number | null,
  planned: number,
  digest: Uint8Array | null,
  changed: number,
  left: number,
  accounts: number,
  modules: number,
  gaps: number,
  chainId: number | null,
  passedOver: number | null,
  unreadRecords: number,
  recordsLeft: number,
  ...MadeAtCells,
];
type GapRow = [
  version: Integer,
  address: Address,
  reason: string,
  errorCode: string | null,
  httpStatus: number | null,
  message: string,
  attempts: number,
  isFinal: 0 | 1,
  ...MadeAtCells,
];

const visits = (state: Sql): Sql => sql`(SELECT count(*) FROM _visits v WHERE v.ledger_version = p.ledger_version AND v.state = ${state})`;
const staged = sql`(SELECT CAST(coalesce(sum(l.modules), 0) AS bigint) FROM _visits v
  LEFT JOIN _listing_spans s ON s.address_id = v.address_id AND ${holds("s", "v.same_as_version")}
  JOIN _listings l ON l.id = coalesce(v.listing_id, s.listing_id) WHERE v.ledger_version = p.ledger_version)`;
const counts = sql`SELECT p.ledger_version, p.status, p.created_at, p.sealed_at, p.planned, p.digest, coalesce(p.changed_modules, 0), ${visits(sql`'planned'`)},
  coalesce(p.accounts, ${visits(sql`'visited'`)}), coalesce(p.modules, ${staged}), coalesce(p.gaps, ${visits(sql`'missed'`)}), (SELECT chain_id FROM _archive), p.passed_over,
  coalesce(p.accounts - p.records, ${visits(sql`'visited' AND NOT v.reads_record`)}, 0), ${visits(sql`'planned' AND v.reads_record`)}, ${madeAt("p.ledger_version")} FROM _pins p`;
const one = sql`${counts} WHERE p.ledger_version = :version`;
const all = sql`${counts} ORDER BY p.ledger_version DESC`;
const gaps = sql`SELECT m.ledger_version, a.address, m.reason, m.error_code, m.http_status, m.message, m.attempts, m.is_final, ${madeAt("m.ledger_version")}
  FROM _misses m JOIN _addresses a ON a.id = m.address_id WHERE :version::version IS NULL OR m.ledger_version = :version::version
  ORDER BY m.ledger_version DESC, length(a.address), a.address LIMIT :limit`;
const reasons = sql`SELECT reason, count(*) AS n FROM _misses GROUP BY reason ORDER BY n DESC, reason`;
const isSealed = sql`FROM _pins p WHERE ${sealed("p")}`;
const holdings = sql`SELECT (SELECT chain_id FROM _archive), (SELECT count(*) ${isSealed}), (SELECT min(p.ledger_version) ${isSealed}), (SELECT max(p.ledger_version) ${isSealed}),
  (SELECT count(DISTINCT address_id) FROM _coverage), (SELECT count(*) FROM _bytecodes),
  (SELECT count(*) FROM _bytecodes WHERE abi_id IS NULL AND derived_by IS NOT NULL), (SELECT count(*) FROM _bytecodes WHERE derived_by IS NULL),
  (SELECT CAST(coalesce(sum(size), 0) AS bigint) FROM _bytecodes),
  (SELECT count(*) FROM _abis), (SELECT count(*) FROM _functions), (SELECT count(*) FROM _structs),
  (SELECT count(*) FROM _targets WHERE removed_at IS NULL), (SELECT count(*) FROM _misses), ${databaseBytes}`;

/** Prepares the overview of a database. */
export function prepareStatusQueries(engine: Engine): StatusStore {
  return {
    snapshotCounts: async (version) => {
      const row = await engine.first<CountsRow>(one, { version });
      if (row === undefined) throw new RangeError(`ledger version ${version} is not pinned`);
      return toCounts(row);
    },
    listSnapshots: async () => (await engine.all<CountsRow>(all)).map(toCounts),
    listGaps: async ({ ledgerVersion, limit }) => (await engine.all<GapRow>(gaps, { version: ledgerVersion ?? null, limit })).map(toGap),
    gapReasons: async () => new Map(await engine.all<[string, number]>(reasons)),
    holdings: async () => {
      const row = (await engine.first<(Integer | null)[]>(holdings)) ?? [];
      const [chainId, , oldest, newest] = row;
      const [, snapshots, , , accounts, bytecodes, undecoded, underived, bytes, abis, functions, structs, targets, missed, file] =
        row.map(Number);
      return {
        chainId: chainId === null ? null : Number(chainId),
        snapshots,
        oldestSnapshot: oldest === null ? null : BigInt(oldest as Integer),
        newestSnapshot: newest === null ? null : BigInt(newest as Integer),
        accounts,
        bytecodes,
        undecodedBytecodes: undecoded,
        underivedBytecodes: underived,
        bytecodeBytes: bytes,
        abis,
        functions,
        structs,
        targets,
        gaps: missed,
        fileBytes: file,
      } as ArchiveTotals;
    },
  };
}

function toCounts(row: CountsRow): SnapshotCounts {
  const [
    version,
    status,
    createdAt,
    sealedAt,
    planned,
    digest,
    changedModules,
    left,
    accounts,
    modules,
    missed,
    chainId,
    passedOver,
    unreadRecords,
    recordsLeft,
    ...times
  ] = row;
  return {
    chainId: Number(chainId),
    ledgerVersion: BigInt(version),
    status,
    createdAt,
    sealedAt,
    planned,
    left,
    requestsLeft: left + recordsLeft,
    accounts,
    modules,
    changedModules,
    gaps: missed,
    digest: digest === null ? null : formatHex(digest),
    passedOver,
    unreadRecords,
    ...toMadeAt(times),
  };
}

function toGap([version, address, reason, errorCode, httpStatus, message, attempts, isFinal, ...times]: GapRow): Gap {
  const failure = { reason, errorCode, httpStatus, message, attempts, isFinal: isFinal === 1 };
  return { ledgerVersion: BigInt(version), address, ...failure, ...toMadeAt(times) };
}
