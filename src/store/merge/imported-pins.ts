import type { Database } from "better-sqlite3";
import { equalBytes } from "../../base/bytes.ts";
import { formatHex } from "../../base/hex.ts";
import type { Address } from "../../move/address.ts";
import { archiveTables } from "../../schema/archive.ts";
import { holds } from "../../schema/sql/predicates.ts";
import { inSqlite } from "../../schema/sql/sqlite-words.ts";
import { sourceTables } from "../../schema/tables/sources.ts";
import type { HotStatements } from "../connection/hot-statements.ts";
import { prepareChecksum } from "../connection/row-checksum.ts";
import { StoreError } from "../errors.ts";
import type { SqlValue } from "../read/query-door.ts";
import { SEALED } from "../snapshots/held-snapshots.ts";
import { internAddress } from "../snapshots/pins.ts";
import { prepareSnapshotDigest, type SnapshotTotals } from "../snapshots/snapshot-digest.ts";
import type { SnapshotTally } from "./merging.ts";
import type { StagedSnapshot } from "./staged-archive.ts";
import { stagedTable } from "./staging.ts";

/** The snapshots of an archive on their way in. */
export type ImportedPins = {
  /** Makes room for them; returns the versions that were sealed here before, ascending. @throws StoreError `MOVEDEX_STORE_PIN` */
  readonly begin: (snapshots: readonly StagedSnapshot[]) => bigint[];
  /** Writes them, their gaps and who observed them, once all accounts are merged. @throws StoreError `MOVEDEX_STORE_ARCHIVE` when content and digest differ */
  readonly finish: (
    snapshots: readonly StagedSnapshot[],
    tally: SnapshotTally,
    source: bigint,
    newAnswers: ReadonlyMap<bigint, number>,
  ) => void;
};

type PinRow = Readonly<Record<string, SqlValue>>;
type GapRow = Readonly<Record<string, SqlValue>> & { readonly ledger_version: bigint; readonly address: Address };

const pinColumns = Object.keys(archiveTables.archive_snapshots.columns);
/** What a snapshot's row says of its content, which is counted anew; the rest is what a node said when it was pinned. */
const counted = new Set(["status", "accounts", "modules", "changed_modules", "gaps", "digest", "records_digest"]);
const gapColumns = Object.keys(archiveTables.archive_gaps.columns).filter((name) => name !== "address");

/** Prepares the bringing in of snapshots on a connection. */
export function prepareImportedPins(database: Database, statements: HotStatements): ImportedPins {
  const recount = prepareSnapshotDigest(database, statements);
  const sealed = database.prepare<[], bigint>(`SELECT ledger_version FROM pins WHERE ${SEALED} ORDER BY ledger_version`).pluck();
  const inWork = database.prepare<[bigint], 1>("SELECT 1 FROM visits WHERE ledger_version = ? LIMIT 1").pluck();
  const dropMisses = database.prepare<[bigint]>("DELETE FROM misses WHERE ledger_version = ?");
  const dropPin = database.prepare<[bigint]>("DELETE FROM pins WHERE ledger_version = ?");
  const findPin = database.prepare<[bigint], PinRow>(`SELECT ${pinColumns.join(", ")} FROM pins WHERE ledger_version = ?`);
  const addPin = database.prepare<[PinRow]>(
    `INSERT INTO pins (${pinColumns.join(", ")}, planned) VALUES (${pinColumns.map((name) => `@${name}`).join(", ")}, 0)`,
  );
  const setPin = database.prepare<[PinRow]>(
    `UPDATE pins SET ${pinColumns.map((name) => `${name} = @${name}`).join(", ")}, planned = @accounts + @gaps,
      passed_over = max(0, passed_over - (@accounts + @gaps - planned)) WHERE ledger_version = @ledger_version`,
  );
  const covers = `SELECT 1 FROM coverage c WHERE c.address_id = misses.address_id AND ${inSqlite(holds("c", "misses.ledger_version"))}`;
  const dropAnswered = database.prepare<[bigint]>(`DELETE FROM misses WHERE ledger_version = ? AND EXISTS (${covers})`);
  const countGaps = database.prepare<[bigint], bigint>("SELECT count(*) FROM misses WHERE ledger_version = ?").pluck();
  const stagedGaps = database.prepare<[bigint, number], GapRow>(
    `SELECT * FROM ${stagedTable("archive_gaps")} WHERE ledger_version = ? AND part = ?`,
  );
  const findGap = database.prepare<[bigint, bigint], PinRow>(
    `SELECT ${gapColumns.join(", ")} FROM misses WHERE ledger_version = ? AND address_id = ?`,
  );
  const addGap = database.prepare<[PinRow]>(
    `INSERT OR REPLACE INTO misses (address_id, ${gapColumns.join(", ")}) VALUES (@address_id, ${gapColumns.map((name) => `@${name}`).join(", ")})`,
  );
  const addSource = database.prepare<[bigint, bigint, number, number, Uint8Array]>(
    "INSERT INTO source_snapshots (ledger_version, source_id, accounts, new_accounts, digest) VALUES (?, ?, ?, ?, ?) " +
      "ON CONFLICT DO UPDATE SET accounts = excluded.accounts, digest = excluded.digest",
  );

  const checkSource = prepareChecksum<[version: bigint, source: bigint]>(database, sourceTables.source_snapshots);

  const mergeGaps = ({ version, part }: StagedSnapshot): bigint => {
    for (const { address, part: _, ...gap } of stagedGaps.all(version, part)) {
      const id = internAddress(statements, address);
      const known = findGap.get(version, id);
      if (known === undefined || rank(known, "last_at") < rank(gap, "last_at")) {
        addGap.run({ ...gap, address_id: id });
        statements.checkMiss(version, id);
      }
    }
    dropAnswered.run(version);
    return countGaps.get(version) as bigint;
  };

  return {
    begin: (snapshots) => {
      for (const { version } of snapshots) {
        const status = statements.pinStatus.get(version);
        if (status === "unsealed" || inWork.get(version) !== undefined) throw unfinished(version);
        if (status !== "abandoned") continue;
        dropMisses.run(version);
        dropPin.run(version);
      }
      return sealed.all();
    },
    finish: (snapshots, tally, source, newAnswers) => {
      for (const snapshot of snapshots) {
        const { version, row } = snapshot;
        const found = tally.finish(version);
        requireDigest(version, row, found);
        const stored = findPin.get(version);
        if (stored === undefined) addPin.run(row);
        const gaps = mergeGaps(snapshot);
        const totals = stored === undefined ? found : recount(version);
        const facts = stored === undefined || rank(row, "head_version") < rank(stored, "head_version") ? row : stored;
        setPin.run({
          ...facts,
          status: gaps > 0n ? "sealed_with_gaps" : "sealed",
          accounts: totals.accounts,
          modules: totals.modules,
          digest: totals.digest,
          records_digest: totals.recordsDigest,
          gaps,
          changed_modules: larger(row["changed_modules"], stored?.["changed_modules"]),
        });
        addSource.run(version, source, found.accounts, newAnswers.get(version) ?? 0, found.digest);
        checkSource(version, source);
      }
    },
  };
}

function requireDigest(version: bigint, row: PinRow, { accounts, modules, digest, recordsDigest }: SnapshotTotals): void {
  const isStated = (name: string, found: Uint8Array): boolean => row[name] instanceof Uint8Array && equalBytes(row[name], found);
  // Snapshots that an older movedex sealed have no digest over records.
  const isSame =
    isStated("digest", digest) &&
    (row["records_digest"] === null || isStated("records_digest", recordsDigest)) &&
    row["accounts"] === BigInt(accounts) &&
    row["modules"] === BigInt(modules);
  if (isSame) return;
  const stated = row["digest"] instanceof Uint8Array ? formatHex(row["digest"]) : "none";
  throw new StoreError(
    "MOVEDEX_STORE_ARCHIVE",
    `the archive's snapshot of ledger version ${version} was sealed with digest ${stated} over ${row["accounts"]} accounts, and its content, ` +
      `records included, is not that: it has ${formatHex(digest)} over ${accounts}. It was edited or is damaged. Nothing was imported.`,
    { facts: { version } },
  );
}

/** A place in an order that both sides of a merge agree on: by one column first, then by everything else. */
function rank(row: PinRow, first: string): string {
  const facts = Object.entries(row)
    .filter(([name]) => !counted.has(name))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, value]) => (value instanceof Uint8Array ? formatHex(value) : String(value)));
  return [String(row[first]).padStart(20, "0"), ...facts].join("\n");
}

function larger(a: SqlValue | undefined, b: SqlValue | undefined): SqlValue {
  if (a === undefined || a === null) return b ?? null;
  return b === undefined || b === null || a > b ? a : b;
}

function unfinished(version: bigint): StoreError {
  return new StoreError(
    "MOVEDEX_STORE_PIN",
    `the snapshot of ledger version ${version} is being crawled here and is not finished; run \`movedex sync\` once more, then import again. Nothing was imported.`,
    { facts: { version } },
  );
}
