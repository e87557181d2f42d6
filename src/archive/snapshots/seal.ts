import { formatHex } from "../../base/hex.ts";
import { sha256 } from "../../base/sha256.ts";
import type { Engine, Integer, Transaction } from "../../engine/engine.ts";
import { StoreError } from "../../engine/errors.ts";
import { writeChecksum } from "../../schema/sql/checksum.ts";
import { countRows } from "../../schema/sql/functions.ts";
import { sealed } from "../../schema/sql/predicates.ts";
import { sql } from "../../schema/sql/sql.ts";
import { traceTables } from "../../schema/tables/trace.ts";
import { cover, uncoverOthers } from "./seal-coverage.ts";
import { spanSealing } from "./seal-spans.ts";
import type { SnapshotTotals } from "./snapshot-digest.ts";
import { countSnapshot } from "./snapshot-totals.ts";
import type { Place } from "./spans.ts";

/** What became of a snapshot. */
export type SealResult = {
  /** `abandoned` when not one target answered: there is nothing to keep, and an empty snapshot would pass for the newest state. */
  readonly status: "sealed" | "sealed_with_gaps" | "abandoned";
  /** 64 hex digits; see `SealStore.seal`. */
  readonly digest: string;
  readonly accounts: number;
  readonly modules: number;
  readonly changedModules: number;
  readonly gaps: number;
};

/** The end of a snapshot's work. */
export type SealStore = {
  /**
   * Moves the visits of the plan into spans, counts them and deletes the plan, in one transaction. Every target has to
   * be visited or missed; missed ones are not covered, and what was known of them stays. A sealed snapshot that was extended
   * gets what was added, and its counts and digest become those of the whole.
   *
   * The digest is the SHA-256 of one line `<address_long>::<module> <sha256 in hex>\n` for each module, in the order of
   * addresses, then of names, both bytewise. Databases with the same modules therefore have the same digest.
   *
   * @throws StoreError `MOVEDEX_STORE_PIN` when targets are left to visit or the snapshot is not open
   */
  readonly seal: (ledgerVersion: bigint, options: { readonly now: number }) => Promise<SealResult>;
  /** What a snapshot that was sealed or given up came to; undefined while it is neither. */
  readonly sealOf: (ledgerVersion: bigint) => Promise<SealResult | undefined>;
};

type StateRow = readonly [
  status: string | null,
  changed: number,
  planned: number,
  visited: number,
  missed: number,
  gaps: number,
  readRecords: number,
];
type SealRow = readonly [
  status: SealResult["status"] | "unsealed",
  digest: Uint8Array | null,
  accounts: number,
  modules: number,
  changedModules: number,
  gaps: number,
];
type TotalsRow = readonly [accounts: number, modules: number, digest: Uint8Array, recordsDigest: Uint8Array, records: number];

const visits = (state: "planned" | "visited" | "missed") =>
  ({
    planned: sql`(SELECT count(*) FROM _visits v WHERE v.ledger_version = :version AND v.state = 'planned')`,
    visited: sql`(SELECT count(*) FROM _visits v WHERE v.ledger_version = :version AND v.state = 'visited')`,
    missed: sql`(SELECT count(*) FROM _visits v WHERE v.ledger_version = :version AND v.state = 'missed')`,
  })[state];
const state = sql`SELECT (SELECT p.status FROM _pins p WHERE p.ledger_version = :version),
  (SELECT coalesce(p.changed_modules, 0) FROM _pins p WHERE p.ledger_version = :version),
  ${visits("planned")}, ${visits("visited")}, ${visits("missed")}, (SELECT count(*) FROM _misses m WHERE m.ledger_version = :version),
  (SELECT count(*) FROM _visits v WHERE v.ledger_version = :version AND v.state = 'visited' AND v.reads_record)`;
const beside = sql`SELECT max(CASE WHEN p.ledger_version < :version THEN p.ledger_version END),
  min(CASE WHEN p.ledger_version > :version THEN p.ledger_version END) FROM _pins p WHERE ${sealed("p")}`;
// What the snapshot before came to, when this one saw the very same of the very same accounts.
const unchanged = sql`SELECT p.accounts, p.modules, p.digest, p.records_digest, p.records FROM _pins p
  WHERE p.ledger_version = :previous AND p.accounts = :visited AND p.records = :readRecords
  AND NOT EXISTS (SELECT 1 FROM _visits v WHERE v.ledger_version = :version AND v.state = 'visited' AND v.same_as_version IS DISTINCT FROM :previous::version)`;
const finish = sql`UPDATE _pins SET status = :status, sealed_at = :now::time, accounts = :accounts, modules = :modules, changed_modules = :changed,
  gaps = :gaps, digest = :digest, records_digest = :recordsDigest, records = :records WHERE ledger_version = :version`;
// What backfill says of a version that it left with gaps follows what was filled in since.
const settlePoint = sql`UPDATE _backfill_points SET state = CASE WHEN :status = 'sealed' THEN 'observed' ELSE state END, accounts_read = :accounts,
  decided_at = :now::time WHERE ledger_version = :version AND state = 'gaps'`;
const checkPoint = writeChecksum(traceTables.backfill_points);
const giveUp = sql`UPDATE _pins SET status = 'abandoned', gaps = :gaps WHERE ledger_version = :version`;
const sealedAs = sql`SELECT status, digest, coalesce(accounts, 0), coalesce(modules, 0), coalesce(changed_modules, 0), coalesce(gaps, 0)
  FROM _pins WHERE ledger_version = :version`;
const visitCount = countRows("_visits");
const spanCounts = ["_coverage", "_record_coverage", "_listing_spans", "_account_spans"].map(countRows);
const clearBatches = sql`DELETE FROM _batches WHERE ledger_version = :version`;
const clearVisits = sql`DELETE FROM _visits WHERE ledger_version = :version`;

/** Prepares sealing on a database. */
export function prepareSeal(engine: Engine): SealStore {
  return {
    seal: (version, { now }) => engine.transaction((tx) => seal(tx, version, now)),
    sealOf: async (version) => {
      const row = await engine.first<SealRow>(sealedAs, { version });
      if (row === undefined || row[0] === "unsealed") return undefined;
      const [status, digest, accounts, modules, changedModules, gaps] = row;
      return { status, digest: formatHex(digest ?? nothing.digest), accounts, modules, changedModules, gaps };
    },
  };
}

async function seal(tx: Transaction, version: bigint, now: number): Promise<SealResult> {
  const [status, changedBefore, planned, visited, missed, gaps, readRecords] = (await tx.first<StateRow>(state, { version })) as StateRow;
  const isExtended = status?.startsWith("sealed") === true && planned + visited + missed > 0;
  if (!isExtended) requireUnsealed(version, status);
  if (planned > 0) throw leftToVisit(version, planned);
  const place = await placeOf(tx, version);
  const found =
    !isExtended && visited === 0 && gaps > 0
      ? nothing
      : ((isExtended ? undefined : await copied(tx, place, { visited, readRecords })) ?? (await sealVisits(tx, place, isExtended)));
  const { accounts, records, modules, digest, recordsDigest } = found;
  const changedModules = found.changedModules + changedBefore;
  const isEmpty = accounts === 0 && gaps > 0;
  const end = isEmpty ? "abandoned" : gaps > 0 ? "sealed_with_gaps" : "sealed";
  if (isEmpty) await tx.run(giveUp, { version, gaps });
  else {
    const values = { version, status: end, now, accounts, records, modules, changed: changedModules, gaps, digest, recordsDigest };
    await tx.run(finish, values);
    if ((await tx.run(settlePoint, values)) > 0) await tx.run(checkPoint, { ledger_version: version });
  }
  await tx.run(clearVisits, { version });
  await tx.run(clearBatches, { version });
  return { status: end, digest: formatHex(digest), accounts, modules, changedModules, gaps };
}

type Found = SnapshotTotals & { readonly changedModules: number };

/** Of a snapshot without any answer: it covers no account, and what was known of the accounts stays. */
const nothing: Found = {
  accounts: 0,
  records: 0,
  modules: 0,
  changedModules: 0,
  digest: sha256(new Uint8Array()),
  recordsDigest: sha256(new Uint8Array()),
};

async function copied(
  tx: Transaction,
  { version, previous, next }: Place,
  counts: { readonly visited: number; readonly readRecords: number },
): Promise<Found | undefined> {
  if (next !== undefined || previous === undefined) return undefined;
  const row = await tx.first<TotalsRow>(unchanged, { version, previous, ...counts });
  if (row === undefined) return undefined;
  const [accounts, modules, digest, recordsDigest, records] = row;
  return { accounts, records, modules, digest, recordsDigest, changedModules: 0 };
}

async function sealVisits(tx: Transaction, place: Place, isExtended: boolean): Promise<Found> {
  const { version } = place;
  await tx.all(visitCount);
  await spanSealing.gather(tx, place, isExtended);
  const changedModules = await spanSealing.write(tx, version);
  await cover(tx, place);
  if (!isExtended) await uncoverOthers(tx, place);
  for (const count of spanCounts) await tx.all(count);
  return { ...(await countSnapshot(tx, version)), changedModules };
}

async function placeOf(tx: Transaction, version: bigint): Promise<Place> {
  const [previous, next] = (await tx.first<[Integer | null, Integer | null]>(beside, { version })) ?? [null, null];
  return {
    version,
    previous: previous === null ? undefined : BigInt(previous),
    next: next === null ? undefined : BigInt(next),
  };
}

function requireUnsealed(version: bigint, status: string | null): void {
  if (status === "unsealed") return;
  throw new StoreError("MOVEDEX_STORE_PIN", `wanted the open snapshot of ledger version ${version}, which is ${status ?? "not there"}`, {
    facts: { version, status },
  });
}

function leftToVisit(version: bigint, planned: number): StoreError {
  const text = `the snapshot of ledger version ${version} has ${planned} accounts left to visit and cannot be sealed`;
  return new StoreError("MOVEDEX_STORE_PIN", text, { facts: { version, planned } });
}
