import { sha256 } from "../../../base/sha256.ts";
import { present } from "../../../errors.ts";
import type { Engine, Transaction } from "../../engine/engine.ts";
import { StoreError } from "../../engine/errors.ts";
import { bytes, hex, orNull, orUndefined, rowOf, text, version, whole } from "../../engine/row-shape.ts";
import { writeChecksum } from "../../schema/sql/checksum.ts";
import { countRows, spansTurn } from "../../schema/sql/functions.ts";
import { sealed } from "../../schema/sql/predicates.ts";
import { sql } from "../../schema/sql/sql.ts";
import { workTables } from "../../schema/tables/work.ts";
import { lockSnapshot } from "./plan.ts";
import type { SealPosition } from "./seal-spans.ts";
import { countSnapshot, type SnapshotTotals } from "./snapshot-digest.ts";

const ofSnapshot = sql`ledger_version = :version`;
const before = rowOf({
  status: orNull(text(sql`(SELECT p.status FROM _all_snapshots p WHERE p.${ofSnapshot})`)),
  changed: whole(sql`coalesce((SELECT p.changed_modules FROM _all_snapshots p WHERE p.${ofSnapshot}), 0)`),
  planned: whole(sql`(SELECT count(*) FROM _visits v WHERE v.${ofSnapshot} AND v.state = 'planned')`),
  visited: whole(sql`(SELECT count(*) FROM _visits v WHERE v.${ofSnapshot} AND v.state = 'visited')`),
  missed: whole(sql`(SELECT count(*) FROM _visits v WHERE v.${ofSnapshot} AND v.state = 'missed')`),
  gaps: whole(sql`(SELECT count(*) FROM _all_gaps m WHERE m.${ofSnapshot})`),
  readRecords: whole(sql`(SELECT count(*) FROM _visits v WHERE v.${ofSnapshot} AND v.state = 'visited' AND v.reads_record)`),
});
const state = sql`SELECT ${before.columns}`;
const neighbours = rowOf({
  previous: orUndefined(version("max(CASE WHEN p.ledger_version < :version THEN p.ledger_version END)")),
  next: orUndefined(version("min(CASE WHEN p.ledger_version > :version THEN p.ledger_version END)")),
});
const findNeighbours = sql`SELECT ${neighbours.columns} FROM _all_snapshots p WHERE ${sealed("p")}`;
// What the snapshot before came to, when this one saw the very same of the very same accounts: a quiet night counts no module again.
const totals = rowOf({
  accounts: whole("p.accounts"),
  modules: whole("p.modules"),
  digest: bytes("p.digest"),
  recordsDigest: bytes("p.records_digest"),
  records: whole("p.records"),
});
const unchanged = sql`SELECT ${totals.columns} FROM _all_snapshots p
  WHERE p.ledger_version = :previous AND p.accounts = :visited AND p.records = :readRecords
  AND NOT EXISTS (SELECT 1 FROM _visits v WHERE v.ledger_version = :version AND v.state = 'visited' AND v.same_as_version IS DISTINCT FROM :previous::version)`;
// Gaps that were asked for again in vain leave the time of the seal: by it a node that stands still is noticed.
const finish = sql`UPDATE _all_snapshots SET status = :status,
  sealed_at = CASE WHEN sealed_at IS NOT NULL AND digest = :digest AND gaps = :gaps THEN sealed_at ELSE :now::time END,
  sealed_by = :by::text, accounts = :accounts, modules = :modules, changed_modules = :changed,
  gaps = :gaps, digest = :digest, records_digest = :recordsDigest, records = :records WHERE ledger_version = :version`;
const checkSnapshot = writeChecksum(workTables.all_snapshots);
const giveUp = sql`UPDATE _all_snapshots SET status = 'abandoned', gaps = :gaps WHERE ledger_version = :version`;
const result = rowOf({
  /** `abandoned` when not one target answered: there is nothing to keep, and an empty snapshot would pass for the newest state. */
  status: text<"sealed" | "sealed_with_gaps" | "abandoned">("status"),
  /** 64 hex digits; see `sealQueries`. */
  digest: hex("coalesce(digest, :nothing::bytes)"),
  accounts: whole("coalesce(accounts, 0)"),
  modules: whole("coalesce(modules, 0)"),
  /** Modules added, changed or gone since the snapshot before. */
  changedModules: whole("coalesce(changed_modules, 0)"),
  gaps: whole("coalesce(gaps, 0)"),
});
const sealedAs = sql`SELECT ${result.columns} FROM _all_snapshots WHERE ledger_version = :version AND status <> 'unsealed'`;

const sealedNow = sql`SELECT 1 FROM _all_snapshots WHERE ledger_version = :version AND sealed_by = :by::text AND sealed_at = :now::time`;

export type SealResult = ReturnType<typeof result.read>;

const visitCount = countRows("_visits");
const spanCounts = ["_coverage", "_listing_spans", "_account_spans"].map(countRows);
const clearVisits = sql`DELETE FROM _visits WHERE ledger_version = :version`;

/** When a snapshot is sealed, and by which machine, where several may do it. */
export type SealOptions = { readonly now: number; readonly by?: string | undefined };

export function sealQueries(engine: Engine) {
  return {
    /**
     * Moves the visits of a plan into spans and deletes the plan, in one transaction. Missed targets are not covered. The digest is
     * the SHA-256 of one line `<address_long>::<module> <sha256>\n` for each module, bytewise by address and name. A second time
     * gives what the first came to, and changes nothing. @throws StoreError `MOVEDEX_STORE_PIN` when targets are left to visit
     */
    seal: (version: bigint, options: SealOptions): Promise<SealResult> =>
      engine.transaction(async (tx) => {
        await lockSnapshot(tx, version, "alone");
        return seal(tx, version, await before.only(tx, state, { version }), options);
      }),
    /** Seals a snapshot whose accounts are all answered for. @returns who has sealed it; undefined while accounts are left to visit */
    sealIfWhole: (version: bigint, options: SealOptions): Promise<"this" | "another" | undefined> =>
      engine.transaction(async (tx) => {
        const status = await lockSnapshot(tx, version, "alone");
        const found = await before.only(tx, state, { version });
        if (found.planned > 0) return undefined;
        if (status !== undefined && status !== "unsealed" && found.visited + found.missed === 0) {
          // By this very call, where its COMMIT went unanswered.
          return (await tx.first(sealedNow, { version, now: options.now, by: options.by ?? null })) === undefined ? "another" : "this";
        }
        await seal(tx, version, found, options);
        return "this";
      }),
  };
}

/** What a snapshot that was sealed or given up came to; undefined while it is neither. */
function readSeal(tx: Transaction, version: bigint): Promise<SealResult | undefined> {
  return result.first(tx, sealedAs, { version, nothing: sha256(new Uint8Array()) });
}

type SealState = ReturnType<typeof before.read>;

async function seal(tx: Transaction, version: bigint, row: SealState, { now, by }: SealOptions): Promise<SealResult> {
  const { status, planned, visited, missed, gaps, readRecords } = row;
  const isExtended = status?.startsWith("sealed") === true && planned + visited + missed > 0;
  // Done before, by another or by this one, whose COMMIT went unanswered.
  const done = isExtended ? undefined : await readSeal(tx, version);
  if (done !== undefined) return done;
  if (status === null) throw missingSnapshot(version);
  if (planned > 0) throw leftToVisit(version, planned);
  await tx.all(spansTurn);
  const position = { version, ...(await neighbours.only(tx, findNeighbours, { version })) };
  // Without any answer it covers no account, and what was known of the accounts stays.
  const hasNone = !isExtended && visited === 0 && gaps > 0;
  const copied = isExtended || hasNone ? undefined : await copyTotals(tx, position, { visited, readRecords });
  const found = hasNone ? undefined : (copied ?? (await sealVisits(tx, position, isExtended)));
  if (found === undefined || (found.accounts === 0 && gaps > 0)) await tx.run(giveUp, { version, gaps });
  else {
    const changed = found.changedModules + row.changed;
    await tx.run(finish, { ...found, version, status: gaps > 0 ? "sealed_with_gaps" : "sealed", now, by: by ?? null, changed, gaps });
  }
  await tx.run(checkSnapshot, { ledger_version: version });
  await tx.run(clearVisits, { version });
  return present(await readSeal(tx, version), `the snapshot of ledger version ${version} was not sealed`);
}

type Found = SnapshotTotals & { readonly changedModules: number };

async function copyTotals(
  tx: Transaction,
  { version, previous, next }: SealPosition,
  counts: { readonly visited: number; readonly readRecords: number },
): Promise<Found | undefined> {
  if (next !== undefined || previous === undefined) return undefined;
  const row = await totals.first(tx, unchanged, { version, previous, ...counts });
  return row && { ...row, changedModules: 0 };
}

async function sealVisits(tx: Transaction, position: SealPosition, isExtended: boolean): Promise<Found> {
  const { version } = position;
  await tx.all(visitCount);
  // A quiet night changes no span.
  const { sealSpans } = await import("./seal-spans.ts");
  const changedModules = await sealSpans(tx, position, isExtended);
  for (const count of spanCounts) await tx.all(count);
  return { ...(await countSnapshot(tx, version)), changedModules };
}

function missingSnapshot(version: bigint): StoreError {
  const text = `cannot seal the snapshot of ledger version ${version}: it is missing`;
  return new StoreError("MOVEDEX_STORE_PIN", text, { facts: { version } });
}

function leftToVisit(version: bigint, planned: number): StoreError {
  const text = `the snapshot of ledger version ${version} has ${planned} accounts left to visit and cannot be sealed`;
  return new StoreError("MOVEDEX_STORE_PIN", text, { facts: { version, planned } });
}
