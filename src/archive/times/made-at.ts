import { type Field, orNull, whole } from "../../engine/shape.ts";
import { ledgerTimes } from "../../schema/sql/ledger-time.ts";
import { named, type Sql, sql } from "../../schema/sql/sql.ts";

/**
 * When the ledger made a version, by its own clock, in milliseconds since 1970; and how far the true time may lie from that. Both null
 * where nothing bounds it. Of a change: of the version at or before which it happened, with the stretch since the one before in the error.
 */
export type MadeAt = { readonly ledgerTime: number | null; readonly ledgerTimeErrorMs: number | null };

type MadeAtFields = { readonly [Name in keyof MadeAt]: Field<number | null> };

export function madeAt(column: `${string}.${string}`): MadeAtFields {
  const version = columnOf(column);
  return { ledgerTime: orNull(whole(ledgerTimes.time(version))), ledgerTimeErrorMs: orNull(whole(ledgerTimes.error(version))) };
}

export function changedAt(after: `${string}.${string}`, atOrBefore: `${string}.${string}`): MadeAtFields {
  const error = ledgerTimes.changeError(columnOf(after), columnOf(atOrBefore));
  return { ledgerTime: orNull(whole(ledgerTimes.time(columnOf(atOrBefore)))), ledgerTimeErrorMs: orNull(whole(error)) };
}

function columnOf(column: `${string}.${string}`): Sql {
  const [table, name] = column.split(".") as [string, string];
  return sql`${named(table)}.${named(name)}`;
}
