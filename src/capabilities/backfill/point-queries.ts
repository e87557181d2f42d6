import { storableVersion } from "../../core/db/archive/snapshots/snapshot-queries.ts";
import { keepEstimate } from "../../core/db/archive/times/ledger-times.ts";
import type { Engine, Integer } from "../../core/db/engine/engine.ts";
import { orNull, rowOf, text, textsOf, version, whole } from "../../core/db/engine/row-shape.ts";
import { writeChecksum } from "../../core/db/schema/sql/checksum.ts";
import { jsonEach, jsonItem } from "../../core/db/schema/sql/functions.ts";
import { coveredAfter, coveredAt, coveredBefore } from "../../core/db/schema/sql/predicates.ts";
import { sql } from "../../core/db/schema/sql/sql.ts";
import { traceTables } from "../../core/db/schema/tables/time.ts";
import type { Address } from "../../core/move/address.ts";
import type { WantedVersion } from "./backfill-points.ts";
import { points, signedBetween } from "./views.ts";

/** What became of a version that backfill was asked for; the words are explained in the table `_backfill_points`. */
export type PointState = "planned" | "refused" | "observed" | "inferred" | "gaps" | "lost";

/** A version that backfill was asked for. Times are milliseconds since 1970. */
export type BackfillPoint = ReturnType<typeof point.read>;

const point = rowOf({
  version: version("b.ledger_version"),
  wantedTime: orNull(whole("b.wanted_time")),
  timeErrorMs: orNull(whole("b.time_error_ms")),
  state: text<PointState>(points.state),
  reason: orNull(text("b.reason")),
  accountsRead: whole(points.accountsRead),
  accountsInferred: whole("b.accounts_inferred"),
});
const allPoints = sql`SELECT ${point.columns} ${points.from} ORDER BY b.ledger_version`;

/** Every version that backfill was asked for, oldest first. */
export const backfillPoints = (engine: Engine): Promise<BackfillPoint[]> => point.all(engine, allPoints);

/** What is decided about a version. */
export type Decision = Pick<BackfillPoint, "state" | "reason" | "accountsRead" | "accountsInferred">;

const atMoment = sql<[Integer]>`SELECT ledger_version FROM _backfill_points WHERE wanted_time = :time::time`;
const ask = sql`INSERT INTO _backfill_points (ledger_version, wanted_time, time_error_ms, state, asked_at, decided_at, accounts_read, accounts_inferred,
    inferred_within) VALUES (:ledger_version, :time::time, :error::int, 'planned', :now::time, :now::time, 0, 0, :within::version)
  ON CONFLICT (ledger_version) DO UPDATE SET inferred_within = excluded.inferred_within
  WHERE _backfill_points.inferred_within IS DISTINCT FROM excluded.inferred_within`;
const check = writeChecksum(traceTables.backfill_points);
const decide = sql`UPDATE _backfill_points SET state = :state, reason = :reason::text, accounts_read = :accountsRead, accounts_inferred = :accountsInferred,
  decided_at = :now::time WHERE ledger_version = :ledger_version
  AND (state, coalesce(reason, ''), accounts_read, accounts_inferred) <> (:state::text, coalesce(:reason::text, ''), :accountsRead, :accountsInferred)`;
const wanted = sql`(SELECT CAST(${jsonItem("j.value", 0)} AS bigint) AS place, ${jsonItem("j.value", 1)} AS address FROM ${jsonEach(":wanted::json", "j")})`;
const open = sql`WITH beside AS MATERIALIZED (SELECT w.place, w.address, a.id AS address_id, ${coveredBefore(sql`a.id`, sql`:version`)} AS low,
    ${coveredAfter(sql`a.id`, sql`:version`)} AS high, ${coveredAt(sql`a.id`, sql`:version`)} AS is_covered
    FROM ${wanted} w LEFT JOIN _addresses a ON a.address = w.address)
  SELECT b.address FROM beside b WHERE NOT (b.is_covered OR (b.low IS NOT NULL AND b.high IS NOT NULL
    AND (:maxApart::version IS NULL OR (b.high - b.low <= :maxApart::version AND NOT ${signedBetween(sql`b.address_id`, sql`b.low`, sql`b.high`)}))
    AND NOT EXISTS (SELECT 1 FROM _listing_spans s WHERE s.address_id = b.address_id AND s.from_version > b.low AND s.from_version <= b.high)))
  ORDER BY b.place`;

/** Older versions: what is decided of them, and what of them need not be read. */
export function pointQueries(engine: Engine) {
  return {
    backfillPoints: () => backfillPoints(engine),
    /**
     * Records versions that are wanted, and how far apart the snapshots around may be for an account to be inferred there (undefined for
     * any distance); what else is known of one stays. @returns the versions, of a moment the one that an earlier run has estimated
     */
    askPoints: (asked: readonly WantedVersion[], now: number, within: bigint | null = null): Promise<ReadonlySet<bigint>> =>
      engine.transaction(async (tx) => {
        const versions = new Set<bigint>();
        for (const { version, wantedTime: time, timeErrorMs: error, estimate } of asked) {
          const [recorded] = (await tx.first(atMoment, { time })) ?? [];
          const ledger_version = recorded === undefined ? storableVersion(version) : BigInt(recorded);
          if ((await tx.run(ask, { ledger_version, time, error, now, within })) > 0) await tx.run(check, { ledger_version });
          if (estimate !== undefined) await keepEstimate(tx, ledger_version, estimate.ms, estimate.errorMs);
          versions.add(ledger_version);
        }
        return versions;
      }),
    /** Sets what became of a version; the same decision again changes nothing. */
    decidePoint: (version: bigint, decision: Decision, now: number): Promise<void> =>
      engine.transaction(async (tx) => {
        const key = { ledger_version: version };
        if ((await tx.run(decide, { ...key, ...decision, now })) > 0) await tx.run(check, key);
      }),
    /**
     * The accounts whose modules at a version are neither observed nor inferred: inferred where the nearest snapshots around it, at
     * most `maxApart` versions apart, hold the same modules and sequence numbers.
     */
    openAccounts: (version: bigint, accounts: Iterable<Address>, maxApart: bigint | undefined): Promise<Address[]> =>
      textsOf<Address>(engine, open, {
        version,
        wanted: JSON.stringify([...new Set(accounts)].map((address, place) => [place, address])),
        maxApart: maxApart ?? null,
      }),
  };
}
