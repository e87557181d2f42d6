import { present } from "../../../errors.ts";
import type { Address } from "../../../move/address.ts";
import type { Engine } from "../../engine/engine.ts";
import { condition, countOf, hex, orNull, rowOf, text, version, whole } from "../../engine/row-shape.ts";
import { databaseBytes } from "../../schema/sql/functions.ts";
import { countRowless, includesVersion, moduleSpans, sealed } from "../../schema/sql/predicates.ts";
import { type Sql, sql } from "../../schema/sql/sql.ts";
import { countedGaps } from "../snapshots/gaps.ts";
import type { SnapshotStatus } from "../snapshots/snapshot-queries.ts";
import { madeAt } from "../times/ledger-times.ts";

const visits = (state: Sql): Sql => sql`(SELECT count(*) FROM _visits v WHERE v.ledger_version = p.ledger_version AND v.state = ${state})`;
const staged = sql`(SELECT CAST(coalesce(sum(l.modules), 0) AS bigint) FROM _visits v
  LEFT JOIN _listing_spans s ON s.address_id = v.address_id AND ${includesVersion("s", "v.same_as_version")}
  JOIN _listings l ON l.id = coalesce(v.listing_id, s.listing_id) WHERE v.ledger_version = p.ledger_version)`;
/** Accounts still to visit; a sealed snapshot has some when it was extended and not sealed again. */
const left = whole(visits(sql`'planned'`));
const counts = rowOf({
  chainId: whole("coalesce((SELECT chain_id FROM _archive), 0)"),
  ledgerVersion: version("p.ledger_version"),
  status: text<SnapshotStatus>("p.status"),
  createdAt: whole("p.created_at"),
  sealedAt: orNull(whole("p.sealed_at")),
  planned: whole("p.planned"),
  left,
  accounts: whole(sql`coalesce(p.accounts, ${visits(sql`'visited'`)})`),
  modules: whole(sql`coalesce(p.modules, ${staged})`),
  changedModules: whole("coalesce(p.changed_modules, 0)"),
  gaps: whole(sql`coalesce(p.gaps, ${visits(sql`'missed'`)})`),
  digest: orNull(hex("p.digest")),
  passedOver: orNull(whole("p.passed_over")),
  unreadRecords: whole(sql`coalesce(p.accounts - p.records, ${visits(sql`'visited' AND NOT v.reads_record`)}, 0)`),
  requestsLeft: whole(sql`${visits(sql`'planned'`)} + ${visits(sql`'planned' AND v.reads_record`)}`),
  ...madeAt("p.ledger_version"),
});
const gap = rowOf({
  ledgerVersion: version("m.ledger_version"),
  address: text<Address>("a.address"),
  reason: text("m.reason"),
  errorCode: orNull(text("m.error_code")),
  httpStatus: orNull(whole("m.http_status")),
  message: text("m.message"),
  attempts: whole("m.attempts"),
  isFinal: condition("m.is_final"),
  ...madeAt("m.ledger_version"),
});

/**
 * A snapshot's counts; without a digest, and so far, while it is unsealed. `requestsLeft` assumes one page of modules an account.
 * `passedOver` targets were left to other nights, null when none could be. Of `unreadRecords` only the modules were read.
 */
export type SnapshotCounts = ReturnType<typeof counts.read>;

export function sealedAmong(snapshots: readonly SnapshotCounts[]): SnapshotCounts[] {
  return snapshots.filter(({ status }) => status === "sealed" || status === "sealed_with_gaps");
}

/** Those with accounts still to be read: not sealed yet, or extended since. */
export function unfinishedAmong(snapshots: readonly SnapshotCounts[]): SnapshotCounts[] {
  return snapshots.filter(({ status, left }) => status === "unsealed" || left > 0);
}

export type ListedGap = ReturnType<typeof gap.read>;

const isSealed = sql`FROM _all_snapshots p WHERE ${sealed("p")}`;
const totals = rowOf({
  chainId: orNull(whole("(SELECT chain_id FROM _archive)")),
  snapshots: whole(sql`(SELECT count(*) ${isSealed})`),
  oldestSnapshot: orNull(version(sql`(SELECT min(p.ledger_version) ${isSealed})`)),
  newestSnapshot: orNull(version(sql`(SELECT max(p.ledger_version) ${isSealed})`)),
  accounts: whole("(SELECT count(DISTINCT address_id) FROM _coverage)"),
  bytecodes: whole("(SELECT count(*) FROM _bytecodes)"),
  undecodedBytecodes: whole("(SELECT count(*) FROM _bytecodes WHERE abi_id IS NULL AND derived_by IS NOT NULL)"),
  /** Bytecodes that are stored and whose rows are still to come. */
  underivedBytecodes: whole(sql`(${countRowless})`),
  /** Plain size of all distinct bytecode in bytes. */
  bytecodeBytes: whole("(SELECT CAST(coalesce(sum(size), 0) AS bigint) FROM _bytecodes)"),
  abis: whole("(SELECT count(*) FROM _abis)"),
  functions: whole("(SELECT count(*) FROM _functions)"),
  structs: whole("(SELECT count(*) FROM _structs)"),
  targets: whole("(SELECT count(*) FROM _targets WHERE removed_at IS NULL)"),
  gaps: whole(sql`(SELECT count(*) FROM ${countedGaps})`),
  /** Size of the database in bytes; of a file, its write-ahead log not counted. */
  fileBytes: whole(databaseBytes),
});

export type ArchiveTotals = ReturnType<typeof totals.read>;

const snapshots = sql`SELECT ${counts.columns} FROM _all_snapshots p`;
const snapshotAt = sql`${snapshots} WHERE p.ledger_version = :version`;
const newestFirst = sql`${snapshots} ORDER BY p.ledger_version DESC`;
const ofVersion = sql`WHERE :version::version IS NULL OR m.ledger_version = :version::version`;
const gapsIn = (from: Sql) => sql`SELECT ${gap.columns} FROM ${from} JOIN _addresses a ON a.id = m.address_id ${ofVersion}
  ORDER BY m.ledger_version DESC, length(a.address), a.address LIMIT :limit`;
const reasonsIn = (from: Sql) =>
  sql<
    [reason: string, count: number]
  >`SELECT m.reason, count(*) AS n FROM ${from} ${ofVersion} GROUP BY m.reason ORDER BY n DESC, m.reason`;
const questionsOf = (from: Sql) => ({ gaps: gapsIn(from), reasons: reasonsIn(from) });
const [every, counted] = [questionsOf(sql`_all_gaps m`), questionsOf(countedGaps)];
/** Of one version all gaps; of all versions those that count. */
const askedOf = (version: bigint | null) => (version === null ? counted : every);
const undecoded = sql`SELECT count(*) FROM _bytecodes b JOIN ${moduleSpans} s ON s.bytecode_id = b.id
  WHERE b.abi_id IS NULL AND b.derived_by IS NOT NULL AND ${includesVersion("s", ":version")}`;
const holdings = sql`SELECT ${totals.columns}`;

export function statusQueries(engine: Engine) {
  return {
    /** @throws RangeError when the version is not pinned */
    snapshotCounts: async (version: bigint): Promise<SnapshotCounts> => {
      return counts.read(present(await engine.first(snapshotAt, { version }), `ledger version ${version} is not pinned`));
    },
    /** How many modules of a sealed snapshot have bytes that cannot be decoded. */
    undecodedModules: (version: bigint): Promise<number> => countOf(engine, undecoded, { version }),
    /** All snapshots, unsealed and abandoned ones included, newest version first. */
    listSnapshots: (): Promise<SnapshotCounts[]> => counts.all(engine, newestFirst),
    /** Gaps, newest snapshot first, then by address; of one snapshot when it is named. */
    listGaps: ({ ledgerVersion, limit }: { readonly ledgerVersion?: bigint; readonly limit: number }): Promise<ListedGap[]> =>
      gap.all(engine, every.gaps, { version: ledgerVersion ?? null, limit }),
    /** Those that `gapReasons` counts, in the same order. */
    listCountedGaps: (version: bigint | null, limit: number): Promise<ListedGap[]> =>
      gap.all(engine, askedOf(version).gaps, { version, limit }),
    /** How many gaps there are of each reason, the commonest first: all of one version, or those of every version that count. */
    gapReasons: async (version: bigint | null = null): Promise<ReadonlyMap<string, number>> =>
      new Map(await engine.all(askedOf(version).reasons, { version })),
    holdings: (): Promise<ArchiveTotals> => totals.only(engine, holdings),
  };
}
