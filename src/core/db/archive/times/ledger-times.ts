import type { Transaction } from "../../engine/engine.ts";
import { orNull, whole } from "../../engine/row-shape.ts";
import { writeChecksum } from "../../schema/sql/checksum.ts";
import { ledgerTimes } from "../../schema/sql/ledger-time.ts";
import { sql, toSql } from "../../schema/sql/sql.ts";
import { workTables } from "../../schema/tables/work.ts";

/**
 * When the ledger made a version, by its own clock, in milliseconds since 1970; and how far the true time may lie from that. Both null
 * where nothing bounds it. Of a change: of the version at or before which it happened, with the stretch since the one before in the error.
 */
export type MadeAt = { readonly ledgerTime: number | null; readonly ledgerTimeErrorMs: number | null };

export function madeAt(column: string) {
  const version = toSql(column);
  return { ledgerTime: orNull(whole(ledgerTimes.time(version))), ledgerTimeErrorMs: orNull(whole(ledgerTimes.error(version))) };
}

export function changedAt(after: string, atOrBefore: string) {
  const error = ledgerTimes.changeError(toSql(after), toSql(atOrBefore));
  return { ...madeAt(atOrBefore), ledgerTimeErrorMs: orNull(whole(error)) };
}

export type ChangeBounds = { readonly after: bigint; readonly atOrBefore: bigint };

/** The end of the year 9999: what lies after it is no time of a ledger, and more than engines can print. */
const LAST_MS = 253_402_300_799_999n;

const upsertReported = sql`INSERT INTO _ledger_times (ledger_version, ledger_time, error_ms) VALUES (:version, :time::time, 0)
  ON CONFLICT (ledger_version) DO UPDATE SET ledger_time = excluded.ledger_time, error_ms = 0
  WHERE _ledger_times.error_ms > 0 OR excluded.ledger_time < _ledger_times.ledger_time`;
const dropEstimates = sql`DELETE FROM _ledger_times WHERE error_ms > 0 AND ledger_version > :version`;
const estimated = sql`INSERT INTO _ledger_times (ledger_version, ledger_time, error_ms) SELECT :version::version, :time::time, :error::int
  WHERE NOT EXISTS (SELECT 1 FROM _ledger_times k WHERE k.error_ms = 0 AND k.ledger_version <= :version::version)
  ON CONFLICT (ledger_version) DO UPDATE SET ledger_time = excluded.ledger_time, error_ms = excluded.error_ms
  WHERE (excluded.error_ms, excluded.ledger_time) < (_ledger_times.error_ms, _ledger_times.ledger_time)`;
const check = writeChecksum(workTables.ledger_times);

/** Keeps the time that a node told of a version. Estimates above it are dropped: what was told bounds these versions better. */
export async function keepTime(tx: Transaction, version: bigint, timestampUsec: bigint): Promise<void> {
  const ms = timestampUsec / 1000n;
  if (ms < 1n || ms > LAST_MS) return;
  if ((await tx.run(upsertReported, { version, time: Number(ms) })) > 0) await tx.run(check, { ledger_version: version });
  await tx.run(dropEstimates, { version });
}

/** Keeps the time that was estimated of a version, of two the better, unless a node told that of an older one. */
export async function keepEstimate(tx: Transaction, version: bigint, ms: number, errorMs: number): Promise<void> {
  const added = await tx.run(estimated, { version, time: ms, error: Math.max(1, errorMs) });
  if (added > 0) await tx.run(check, { ledger_version: version });
}
