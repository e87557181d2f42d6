import { createHash } from "node:crypto";
import type { Database } from "better-sqlite3";
import { formatHex } from "../../base/hex.ts";
import type { Address } from "../../move/address.ts";
import { traceTables } from "../../schema/tables/trace.ts";
import type { Synchronous } from "../connection/asynchronous.ts";
import type { HotStatements, VisitRow } from "../connection/hot-statements.ts";
import { prepareChecksum } from "../connection/row-checksum.ts";
import { StoreError } from "../errors.ts";
import { digestLines, type ModuleDigest, prepareSnapshotDigest, recordAt, recordLine, type SnapshotTotals } from "./snapshot-digest.ts";
import { prepareSpanWriter } from "./span-writer.ts";
import type { Place } from "./spans.ts";
import {
  type Content,
  contentOf,
  countChanges,
  placeAmongCovering,
  placeAmongSealed,
  type Standing,
  type StoredRecord,
  standingAt,
} from "./standing-at.ts";

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
};

/** What sealing an account found: its modules with their SHA-256 in the order of names, its record, and how many modules changed. */
type Sealed = { readonly digests: readonly ModuleDigest[]; readonly record: StoredRecord | undefined; readonly changed: number };

/** How many visits are read at a time: flat memory, and few enough questions. */
const PAGE = 512;

/** Prepares sealing on a connection. */
export function prepareSeal(database: Database, statements: HotStatements): Synchronous<SealStore> {
  const placing = prepareSpanWriter(database, statements);
  const recount = prepareSnapshotDigest(database, statements);
  const count = database.prepare<[bigint, string], bigint>("SELECT count(*) FROM visits WHERE ledger_version = ? AND state = ?").pluck();
  const finish = database.prepare<[string, number, number, number, number, bigint, Uint8Array, Uint8Array, bigint]>(
    "UPDATE pins SET status = ?, sealed_at = ?, accounts = ?, modules = ?, changed_modules = ?, gaps = ?, digest = ?, records_digest = ? WHERE ledger_version = ?",
  );
  const hasWork = database.prepare<[bigint], 1>("SELECT 1 FROM visits WHERE ledger_version = ? LIMIT 1").pluck();
  const missed = database.prepare<[bigint], bigint>("SELECT count(*) FROM misses WHERE ledger_version = ?").pluck();
  const changedBefore = database
    .prepare<[bigint], bigint>("SELECT coalesce(changed_modules, 0) FROM pins WHERE ledger_version = ?")
    .pluck();
  // What backfill says of a version that it left with gaps follows what was filled in since.
  const settlePoint = database.prepare<[{ version: bigint; status: string; accounts: number; now: number }]>(
    "UPDATE backfill_points SET state = iif(@status = 'sealed', 'observed', state), accounts_read = @accounts, decided_at = @now " +
      "WHERE ledger_version = @version AND state = 'gaps'",
  );
  const checkPoint = prepareChecksum<[version: bigint]>(database, traceTables.backfill_points);
  const giveUp = database.prepare<[bigint, bigint]>("UPDATE pins SET status = 'abandoned', gaps = ? WHERE ledger_version = ?");
  const clearListings = database.prepare<[bigint]>("DELETE FROM visit_modules WHERE ledger_version = ?");
  const clearVisits = database.prepare<[bigint]>("DELETE FROM visits WHERE ledger_version = ?");
  const clearWork = (version: bigint): void => {
    clearListings.run(version);
    clearVisits.run(version);
  };

  const sealVisit = (version: bigint, row: VisitRow, sealed: Place, isExtended: boolean): Sealed => {
    const [, address, , sameAs] = row;
    const unchanged = (at: bigint): Sealed => ({
      digests: statements.digestsAt.all(address, at, at),
      record: recordAt(statements, address, at),
      changed: 0,
    });
    // Nothing moves where the newest snapshot shows what the one before it showed: a quiet night is only counted. A visit that
    // was found equal to the snapshot before was found to be covered there too.
    if (!isExtended && sealed.next === undefined && sameAs !== null && sameAs === sealed.previous) return unchanged(sameAs);
    const place = placeAmongCovering(statements, address, sealed);
    if (place.next === undefined && place.previous !== undefined && sameAs === place.previous) {
      if (isExtended || place.previous !== sealed.previous || sealed.next !== undefined) placing.cover(address, sealed);
      return unchanged(sameAs);
    }
    const left = standingAt(statements, address, place.previous);
    const right = standingAt(statements, address, place.next);
    const seen = visitedContent(statements, version, row, place, left, right);
    placing.content(address, place, { left, right }, seen);
    placing.cover(address, sealed);
    const digests = [...seen.modules].map(([name, id]) => [name, statements.bytecodeDigest.get(id) as Uint8Array] as const);
    return { digests, record: seen.record, changed: place.previous === undefined ? 0 : countChanges(left, seen.modules) };
  };

  /** Says whether it is a sealed snapshot that was extended. */
  const requireOpen = (version: bigint): boolean => {
    const isExtended = statements.pinStatus.get(version)?.startsWith("sealed") === true && hasWork.get(version) !== undefined;
    if (!isExtended) requireUnsealed(statements, version);
    return isExtended;
  };

  const sealVisits = (version: bigint, isExtended: boolean): SnapshotTotals & { readonly changedModules: number } => {
    const place = placeAmongSealed(statements, version);
    const hash = createHash("sha256");
    const records = createHash("sha256");
    let accounts = 0;
    let modules = 0;
    let changedModules = 0;
    for (
      let page = statements.visitedPage.all(version, -1n, PAGE);
      page.length > 0;
      page = statements.visitedPage.all(version, lastOf(page), PAGE)
    ) {
      for (const row of page) {
        const { digests, record, changed } = sealVisit(version, row, place, isExtended);
        hash.update(digestLines(row[2] as Address, digests));
        records.update(recordLine(row[2] as Address, record));
        accounts += 1;
        modules += digests.length;
        changedModules += changed;
      }
    }
    return { accounts, modules, digest: hash.digest(), recordsDigest: records.digest(), changedModules };
  };

  const seal = (version: bigint, { now }: { readonly now: number }): SealResult => {
    const isExtended = requireOpen(version);
    const left = count.get(version, "planned") as bigint;
    if (left > 0n) {
      throw new StoreError(
        "MOVEDEX_STORE_PIN",
        `the snapshot of ledger version ${version} has ${left} accounts left to visit and cannot be sealed`,
        {
          facts: { version, planned: left },
        },
      );
    }
    const visited = sealVisits(version, isExtended);
    const { accounts, modules, digest, recordsDigest } = isExtended ? recount(version) : visited;
    const changedModules = visited.changedModules + Number(changedBefore.get(version));
    const gaps = missed.get(version) as bigint;
    const isEmpty = accounts === 0 && gaps > 0n;
    const status = isEmpty ? "abandoned" : gaps > 0n ? "sealed_with_gaps" : "sealed";
    if (isEmpty) giveUp.run(gaps, version);
    else {
      if (!isExtended) placing.uncoverOthers(placeAmongSealed(statements, version));
      finish.run(status, now, accounts, modules, changedModules, gaps, digest, recordsDigest, version);
      if (settlePoint.run({ version, status, accounts, now }).changes > 0) checkPoint(version);
    }
    clearWork(version);
    return { status, digest: formatHex(digest), accounts, modules, changedModules, gaps: Number(gaps) };
  };

  return { seal: database.transaction(seal).immediate };
}

function requireUnsealed(statements: HotStatements, version: bigint): void {
  const status = statements.pinStatus.get(version);
  if (status === "unsealed") return;
  throw new StoreError("MOVEDEX_STORE_PIN", `wanted the open snapshot of ledger version ${version}, which is ${status ?? "not there"}`, {
    facts: { version, status: status ?? null },
  });
}

function visitedContent(statements: HotStatements, version: bigint, row: VisitRow, place: Place, left: Standing, right: Standing): Content {
  const [, address, , sameAs, hasRecord, sequenceNumber, authenticationKey, resource] = row;
  if (sameAs !== null) {
    const same = sameAs === place.previous ? left : sameAs === place.next ? right : standingAt(statements, address, sameAs);
    return contentOf(same);
  }
  return {
    record:
      hasRecord === 1n
        ? { sequenceNumber: sequenceNumber as string, authenticationKey: authenticationKey as Uint8Array, resource }
        : undefined,
    modules: new Map(statements.listed.all(version, address)),
  };
}

function lastOf(page: readonly VisitRow[]): bigint {
  return (page.at(-1) as VisitRow)[0];
}
