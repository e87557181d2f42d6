import { printable } from "../../../base/printable.ts";
import type { Address } from "../../../move/address.ts";
import type { Engine } from "../../engine/engine.ts";
import { condition, rowOf, textsOf, version, whole } from "../../engine/row-shape.ts";
import { checksumOf } from "../../schema/sql/checksum.ts";
import { forUpdate } from "../../schema/sql/functions.ts";
import { type Sql, sql } from "../../schema/sql/sql.ts";
import { workTables } from "../../schema/tables/work.ts";
import { findPlanned, lockSnapshot, type PlannedAccount } from "./plan.ts";

/** Why a target was not answered for. */
export type Gap = {
  readonly address: Address;
  /** Class of the failure, a word of the caller's. */
  readonly reason: string;
  readonly errorCode: string | null;
  readonly httpStatus: number | null;
  readonly message: string;
  readonly attempts: number;
  /** Whether trying again cannot help: the version is pruned. */
  readonly isFinal: boolean;
};

/** Statements by which accounts of a plan (`v`) are missed, in this order; the count of the last is how many. See `valuesOf`. */
const missing = (which: Sql): readonly Sql[] => [
  sql`INSERT INTO _all_gaps (ledger_version, address_id, reason, error_code, http_status, message, attempts, is_final, first_at, last_at)
    SELECT v.ledger_version, v.address_id, :reason::text, :errorCode::text, :httpStatus::int, :message::text, :attempts::int, CAST(:isFinal AS boolean),
      :now::time, :now::time FROM _visits v WHERE v.ledger_version = :version AND ${which}
    ON CONFLICT (ledger_version, address_id) DO UPDATE SET reason = excluded.reason, error_code = excluded.error_code, http_status = excluded.http_status,
      message = excluded.message, attempts = _all_gaps.attempts + excluded.attempts, is_final = excluded.is_final, last_at = excluded.last_at`,
  sql`UPDATE _all_gaps SET checksum = ${checksumOf(workTables.all_gaps)} WHERE ledger_version = :version
    AND address_id IN (SELECT v.address_id FROM _visits v WHERE v.ledger_version = :version AND ${which})`,
  sql`UPDATE _visits AS v SET state = 'missed', same_as_version = NULL, listing_id = NULL, sequence_number = NULL, authentication_key = NULL,
    resource = NULL WHERE v.ledger_version = :version AND ${which}`,
];
const [gapOfOne, commitRest] = [missing(sql`v.address_id = :account`), missing(sql`v.state = 'planned'`)];
const lockPlanned = sql`SELECT 1 FROM _visits WHERE ledger_version = :version AND address_id = :account AND state = 'planned' ${forUpdate}`;

const isGivenUp = sql`p.status = 'abandoned'`;
/** What a given up snapshot lacks counts where it is pruned: later nights ask the same accounts at their own versions. */
export const countedGaps = sql`_all_gaps m JOIN _all_snapshots p ON p.ledger_version = m.ledger_version AND (m.is_final OR NOT ${isGivenUp})`;
const isOpen = sql`(m.attempts < :tries AND NOT ${isGivenUp})`;
const gaps = rowOf({
  ledgerVersion: version("m.ledger_version"),
  /** Whether the snapshot was given up with nothing read: no night tries its gaps again by itself. */
  isGivenUp: condition(sql`max(CASE WHEN ${isGivenUp} THEN 1 ELSE 0 END)`),
  open: whole(sql`count(*) FILTER (WHERE NOT m.is_final AND ${isOpen})`),
  parked: whole(sql`count(*) FILTER (WHERE NOT m.is_final AND NOT ${isOpen})`),
  /** The version was pruned before the account was read: trying again cannot help. */
  final: whole(sql`count(*) FILTER (WHERE m.is_final)`),
});

/** A snapshot's gaps, counted by what is to become of them. */
export type GapStates = ReturnType<typeof gaps.read>;

const states = sql`SELECT ${gaps.columns} FROM _all_gaps m JOIN _all_snapshots p ON p.ledger_version = m.ledger_version
  WHERE p.status = 'sealed_with_gaps' OR ${isGivenUp} GROUP BY m.ledger_version ORDER BY m.ledger_version`;
const open = sql`SELECT a.address FROM _all_gaps m JOIN _addresses a ON a.id = m.address_id
  WHERE m.ledger_version = :version AND NOT m.is_final AND m.attempts < :tries ORDER BY length(a.address), a.address`;

export function gapQueries(engine: Engine) {
  const record = (statements: readonly Sql[], version: bigint, gap: Gap, now: number): Promise<void> =>
    engine.transaction(async (tx) => {
      await lockSnapshot(tx, version, "forMany");
      const { accounts } = await findPlanned(tx, version, [gap.address]);
      const { id } = accounts[0] as PlannedAccount;
      if ((await tx.first(lockPlanned, { version, account: id })) === undefined) return;
      for (const statement of statements) await tx.run(statement, { version, account: id, ...valuesOf(gap, now) });
    });
  return {
    /** Records that a planned account did not answer. @throws StoreError `MOVEDEX_STORE_PIN`, `MOVEDEX_STORE_VISIT` */
    commitGap: (version: bigint, gap: Gap, now: number): Promise<void> => record(gapOfOne, version, gap, now),
    /** Records the same of an account that stays planned: the next run asks again. */
    noteFailure: (version: bigint, gap: Gap, now: number): Promise<void> => record(gapOfOne.slice(0, -1), version, gap, now),
    /** Records the same failure for every account still planned, in one transaction; returns how many. */
    commitRest: (version: bigint, gap: Omit<Gap, "address">, now: number): Promise<number> =>
      engine.transaction(async (tx) => {
        await lockSnapshot(tx, version, "alone");
        let missed = 0;
        for (const statement of commitRest) missed = await tx.run(statement, { version, ...valuesOf(gap, now) });
        return missed;
      }),
    /** Sealed snapshots with gaps, and given up ones, oldest first. `tries`: how often an account is tried by all runs. */
    gapStates: (tries: number): Promise<GapStates[]> => gaps.all(engine, states, { tries }),
    /** A snapshot's accounts that are neither parked nor final, in the order of addresses. */
    openGaps: (version: bigint, tries: number): Promise<Address[]> => textsOf<Address>(engine, open, { version, tries }),
  };
}

function valuesOf(gap: Omit<Gap, "address">, now: number) {
  return { ...gap, message: printable(gap.message), now };
}
