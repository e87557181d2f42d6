import type { Database } from "better-sqlite3";
import { formatHex } from "../../base/hex.ts";
import type { Address } from "../../move/address.ts";
import type { Synchronous } from "../connection/asynchronous.ts";
import type { PinStatus } from "../snapshots/pins.ts";

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
  readonly accounts: number;
  readonly modules: number;
  readonly changedModules: number;
  readonly gaps: number;
  readonly digest: string | null;
};

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
};

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
  /** Size of the database file in bytes, its write-ahead log not counted. */
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

type CountsRow = Record<"ledger_version" | "created_at" | "planned" | "left_over" | "accounts" | "modules" | "changed" | "gaps", bigint> & {
  readonly status: PinStatus;
  readonly sealed_at: bigint | null;
  readonly digest: Uint8Array | null;
};
type GapRow = Record<"ledger_version" | "attempts" | "is_final", bigint> & {
  readonly address: Address;
  readonly reason: string;
  readonly error_code: string | null;
  readonly http_status: bigint | null;
  readonly message: string;
};

const visits = (state: string): string =>
  `(SELECT count(*) FROM visits v WHERE v.ledger_version = p.ledger_version AND v.state = '${state}')`;
const staged =
  "(SELECT coalesce(sum(l.modules), 0) FROM visits v LEFT JOIN listing_spans s ON s.address_id = v.address_id AND s.from_version <= v.same_as_version " +
  "AND (s.to_version IS NULL OR s.to_version >= v.same_as_version) JOIN listings l ON l.id = coalesce(v.listing_id, s.listing_id) " +
  "WHERE v.ledger_version = p.ledger_version)";

/** Prepares the overview on a connection. */
export function prepareStatusQueries(database: Database): Synchronous<StatusStore> {
  const chain = database.prepare<[], bigint | null>("SELECT chain_id FROM archive").pluck();
  const counts =
    "SELECT p.ledger_version, p.status, p.created_at, p.sealed_at, p.planned, p.digest, coalesce(p.changed_modules, 0) AS changed, " +
    `${visits("planned")} AS left_over, ` +
    `coalesce(p.accounts, ${visits("visited")}) AS accounts, coalesce(p.modules, ${staged}) AS modules, coalesce(p.gaps, ${visits("missed")}) AS gaps FROM pins p`;
  const one = database.prepare<[bigint], CountsRow>(`${counts} WHERE p.ledger_version = ?`);
  const all = database.prepare<[], CountsRow>(`${counts} ORDER BY p.ledger_version DESC`);
  const gaps = database.prepare<[{ version: bigint | null; limit: number }], GapRow>(
    "SELECT m.ledger_version, a.address, m.reason, m.error_code, m.http_status, m.message, m.attempts, m.is_final FROM misses m JOIN addresses a ON a.id = m.address_id " +
      "WHERE @version IS NULL OR m.ledger_version = @version ORDER BY m.ledger_version DESC, length(a.address), a.address LIMIT @limit",
  );
  const reasons = database.prepare<[], { reason: string; n: bigint }>(
    "SELECT reason, count(*) AS n FROM misses GROUP BY reason ORDER BY n DESC, reason",
  );
  const sealed = "FROM pins WHERE status IN ('sealed', 'sealed_with_gaps')";
  const holdings = database.prepare<[], Record<string, bigint | null>>(
    `SELECT (SELECT chain_id FROM archive) AS chainId, (SELECT count(*) ${sealed}) AS snapshots, (SELECT min(ledger_version) ${sealed}) AS oldest, ` +
      `(SELECT max(ledger_version) ${sealed}) AS newest, (SELECT count(DISTINCT address_id) FROM coverage) AS accounts, (SELECT count(*) FROM bytecodes) AS bytecodes, ` +
      "(SELECT count(*) FROM bytecodes WHERE abi_id IS NULL AND derived_by IS NOT NULL) AS undecoded, (SELECT count(*) FROM bytecodes WHERE derived_by IS NULL) AS underived, (SELECT coalesce(sum(size), 0) FROM bytecodes) AS bytes, (SELECT count(*) FROM abis) AS abis, " +
      "(SELECT count(*) FROM functions) AS functions, (SELECT count(*) FROM structs) AS structs, (SELECT count(*) FROM targets WHERE removed_at IS NULL) AS targets, " +
      "(SELECT count(*) FROM misses) AS gaps, (SELECT page_count FROM pragma_page_count) * (SELECT page_size FROM pragma_page_size) AS file",
  );
  const toCounts = (row: CountsRow): SnapshotCounts => ({
    chainId: Number(chain.get()),
    ledgerVersion: row.ledger_version,
    status: row.status,
    createdAt: Number(row.created_at),
    sealedAt: row.sealed_at === null ? null : Number(row.sealed_at),
    planned: Number(row.planned),
    left: Number(row.left_over),
    accounts: Number(row.accounts),
    modules: Number(row.modules),
    changedModules: Number(row.changed),
    gaps: Number(row.gaps),
    digest: row.digest === null ? null : formatHex(row.digest),
  });

  return {
    snapshotCounts: (version) => {
      const row = one.get(version);
      if (row === undefined) throw new RangeError(`ledger version ${version} is not pinned`);
      return toCounts(row);
    },
    listSnapshots: () => all.all().map(toCounts),
    listGaps: ({ ledgerVersion, limit }) => gaps.all({ version: ledgerVersion ?? null, limit }).map(toGap),
    gapReasons: () => new Map(reasons.all().map(({ reason, n }) => [reason, Number(n)])),
    holdings: () => {
      const row = holdings.get() as Record<string, bigint | null>;
      const number = (name: string): number => Number(row[name]);
      return {
        chainId: row["chainId"] === null ? null : number("chainId"),
        snapshots: number("snapshots"),
        oldestSnapshot: row["oldest"] ?? null,
        newestSnapshot: row["newest"] ?? null,
        accounts: number("accounts"),
        bytecodes: number("bytecodes"),
        undecodedBytecodes: number("undecoded"),
        underivedBytecodes: number("underived"),
        bytecodeBytes: number("bytes"),
        abis: number("abis"),
        functions: number("functions"),
        structs: number("structs"),
        targets: number("targets"),
        gaps: number("gaps"),
        fileBytes: number("file"),
      };
    },
  };
}

function toGap(row: GapRow): Gap {
  return {
    ledgerVersion: row.ledger_version,
    address: row.address,
    reason: row.reason,
    errorCode: row.error_code,
    httpStatus: row.http_status === null ? null : Number(row.http_status),
    message: row.message,
    attempts: Number(row.attempts),
    isFinal: row.is_final === 1n,
  };
}
