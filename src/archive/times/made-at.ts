import type { Integer } from "../../engine/engine.ts";
import { ledgerTimes } from "../../schema/sql/ledger-time.ts";
import { named, type Sql, sql } from "../../schema/sql/sql.ts";

/**
 * When the ledger made a version, by its own clock, in milliseconds since 1970; and how far the true time may lie from that. Both null
 * where nothing bounds it. Of a change: of the version at or before which it happened, with the stretch since the one before in the error.
 */
export type MadeAt = { readonly ledgerTime: number | null; readonly ledgerTimeErrorMs: number | null };

/** Both as they stand in a row. */
export type MadeAtCells = [ledgerTime: number | null, ledgerTimeErrorMs: Integer | null];

/** The two cells of a column that holds a version. */
export function madeAt(column: `${string}.${string}`): Sql {
  const version = columnOf(column);
  return sql`${ledgerTimes.time(version)}, ${ledgerTimes.error(version)}`;
}

/** The two cells of a change, by the columns of its bounds. */
export function changedAt(after: `${string}.${string}`, atOrBefore: `${string}.${string}`): Sql {
  return sql`${ledgerTimes.time(columnOf(atOrBefore))}, ${ledgerTimes.changeError(columnOf(after), columnOf(atOrBefore))}`;
}

/** Reads the two cells. */
export function toMadeAt([ledgerTime, error]: MadeAtCells): MadeAt {
  return { ledgerTime, ledgerTimeErrorMs: error === null ? null : Number(error) };
}

function columnOf(column: `${string}.${string}`): Sql {
  const [table, name] = column.split(".") as [string, string];
  return sql`${named(table)}.${named(name)}`;
}
