import type { Database } from "better-sqlite3";
import type { Address } from "../../move/address.ts";
import { traceTables } from "../../schema/tables/trace.ts";
import type { Synchronous } from "../connection/asynchronous.ts";
import type { HotStatements } from "../connection/hot-statements.ts";
import { prepareChecksum } from "../connection/row-checksum.ts";
import { storableVersion } from "../snapshots/ledger-version.ts";
import { placeAmongCovering, placeAmongSealed } from "../snapshots/standing-at.ts";

/** What became of a version that backfill was asked for; the words are explained in the table `backfill_points`. */
export type PointState = "planned" | "refused" | "observed" | "inferred" | "gaps" | "lost";

/** A version that backfill was asked for. Times are milliseconds since 1970. */
export type BackfillPoint = {
  readonly version: bigint;
  readonly wantedTime: number | null;
  readonly timeErrorMs: number | null;
  readonly state: PointState;
  readonly reason: string | null;
  readonly accountsRead: number;
  readonly accountsInferred: number;
};

/** What is decided about a version. */
export type Decision = Pick<BackfillPoint, "state" | "reason" | "accountsRead" | "accountsInferred">;

/** Older versions: which are wanted, and what of them need not be read. */
export type BackfillStore = {
  /**
   * Records the versions that are wanted, and how far apart the snapshots around may be for an account to be inferred there
   * (undefined for any distance); otherwise those known already by version or by wanted time stay as they are.
   */
  readonly askPoints: (
    points: readonly Pick<BackfillPoint, "version" | "wantedTime" | "timeErrorMs">[],
    now: number,
    inferredWithin?: bigint,
  ) => Promise<void>;
  /** Every version asked for, oldest first. */
  readonly backfillPoints: () => Promise<BackfillPoint[]>;
  /** Sets what became of a version; the same decision again changes nothing. */
  readonly decidePoint: (version: bigint, decision: Decision, now: number) => Promise<void>;
  /**
   * Those accounts whose modules at a version are neither observed nor inferred. Inferred: the snapshots that cover the
   * account on both sides hold the same modules with the same bytes (both listings were whole, as all stored ones are) and are at most
   * `maxApart` versions apart: what is equal at two distant versions may have been another thing between.
   */
  readonly openAccounts: (version: bigint, accounts: Iterable<Address>, maxApart: bigint | undefined) => Promise<Address[]>;
  /** Versions with their times, as nodes told them of their heads; some hundred at most, spread over all that is known. */
  readonly timeMarks: () => Promise<{ readonly version: bigint; readonly timestampUsec: bigint }[]>;
};

const MARKS_MAX = 512;

type Row = {
  readonly ledger_version: bigint;
  readonly wanted_time: bigint | null;
  readonly time_error_ms: bigint | null;
  readonly state: PointState;
  readonly reason: string | null;
  readonly accounts_read: bigint;
  readonly accounts_inferred: bigint;
};
type Neighbours = { readonly address: bigint; readonly low: bigint; readonly high: bigint };

/** Prepares what backfill asks of a connection. */
export function prepareBackfill(database: Database, statements: HotStatements): Synchronous<BackfillStore> {
  const ask = database.prepare<[{ version: bigint; time: number | null; error: number | null; now: number }]>(
    "INSERT INTO backfill_points (ledger_version, wanted_time, time_error_ms, state, asked_at, decided_at, accounts_read, accounts_inferred) " +
      "SELECT @version, @time, @error, 'planned', @now, @now, 0, 0 WHERE NOT EXISTS (SELECT 1 FROM backfill_points WHERE wanted_time = @time) " +
      "ON CONFLICT DO NOTHING",
  );
  const bound = database
    .prepare<[{ version: bigint; time: number | null; within: bigint | null }], bigint>(
      "UPDATE backfill_points SET inferred_within = @within WHERE (ledger_version = @version OR wanted_time = @time) AND inferred_within IS NOT @within RETURNING ledger_version",
    )
    .pluck();
  const check = prepareChecksum<[version: bigint]>(database, traceTables.backfill_points);
  const all = database.prepare<[], Row>("SELECT * FROM backfill_points ORDER BY ledger_version");
  const decide = database.prepare<[Decision & { version: bigint; now: number }]>(
    "UPDATE backfill_points SET state = @state, reason = @reason, accounts_read = @accountsRead, accounts_inferred = @accountsInferred, decided_at = @now " +
      "WHERE ledger_version = @version AND (state, coalesce(reason, ''), accounts_read, accounts_inferred) <> (@state, coalesce(@reason, ''), @accountsRead, @accountsInferred)",
  );
  const isCovered = database.prepare<[bigint, bigint, bigint], bigint>(
    "SELECT 1 FROM coverage WHERE address_id = ? AND from_version <= ? AND (to_version IS NULL OR to_version >= ?)",
  );
  const begins = database.prepare<[Neighbours], bigint>(
    "SELECT 1 FROM listing_spans WHERE address_id = @address AND from_version > @low AND from_version <= @high LIMIT 1",
  );
  const marks = database.prepare<[], { version: bigint; timestampUsec: string }>(
    "SELECT head_version AS version, min(CAST(timestamp_usec AS INTEGER)) || '' AS timestampUsec FROM " +
      "(SELECT head_version, timestamp_usec FROM head_samples UNION ALL SELECT head_version, head_timestamp_usec FROM pins WHERE head_timestamp_usec <> '0') GROUP BY head_version ORDER BY head_version",
  );

  const askPoints: Synchronous<BackfillStore>["askPoints"] = (points, now, inferredWithin) => {
    for (const { version, wantedTime, timeErrorMs } of points) {
      const asked = ask.run({ version: storableVersion(version), time: wantedTime, error: timeErrorMs, now });
      if (asked.changes > 0) check(version);
      for (const bounded of bound.all({ version, time: wantedTime, within: inferredWithin ?? null })) check(bounded);
    }
  };
  const openAccounts = (version: bigint, accounts: Iterable<Address>, maxApart: bigint | undefined): Address[] => {
    const sealed = placeAmongSealed(statements, version);
    const isSealed = statements.pinStatus.get(version)?.startsWith("sealed") === true;
    const open: Address[] = [];
    for (const address of new Set(accounts)) {
      const id = statements.addressId.get(address);
      if (id !== undefined && isSealed && isCovered.get(id, version, version) !== undefined) continue;
      const { previous: low, next: high } =
        id === undefined ? { previous: undefined, next: undefined } : placeAmongCovering(statements, id, sealed);
      const isInferred =
        id !== undefined &&
        low !== undefined &&
        high !== undefined &&
        (maxApart === undefined || high - low <= maxApart) &&
        begins.get({ address: id, low, high }) === undefined;
      if (!isInferred) open.push(address);
    }
    return open;
  };

  const decidePoint: Synchronous<BackfillStore>["decidePoint"] = (version, { state, reason, accountsRead, accountsInferred }, now) => {
    if (decide.run({ version, state, reason, accountsRead, accountsInferred, now }).changes > 0) check(version);
  };

  return {
    askPoints: database.transaction(askPoints).immediate,
    backfillPoints: () => all.all().map(toPoint),
    decidePoint: database.transaction(decidePoint).immediate,
    openAccounts,
    timeMarks: () => {
      const rows = marks.all();
      const step = Math.ceil(rows.length / MARKS_MAX);
      return rows
        .filter((_, index) => index % step === 0 || index === rows.length - 1)
        .map((row) => ({ version: row.version, timestampUsec: BigInt(row.timestampUsec) }));
    },
  };
}

function toPoint(row: Row): BackfillPoint {
  return {
    version: row.ledger_version,
    wantedTime: row.wanted_time === null ? null : Number(row.wanted_time),
    timeErrorMs: row.time_error_ms === null ? null : Number(row.time_error_ms),
    state: row.state,
    reason: row.reason,
    accountsRead: Number(row.accounts_read),
    accountsInferred: Number(row.accounts_inferred),
  };
}
