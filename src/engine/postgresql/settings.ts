import { planning } from "../../schema/grants.ts";
import { postgresqlDialect } from "../../schema/sql/postgresql-dialect.ts";
import { named } from "../../schema/sql/sql.ts";

/**
 * Statements that give a transaction its schema, form of values, wait for locks, and limit of silence (0: none). A cursor is
 * planned for all rows: planned for the first tenth, whole results are many times slower.
 */
export function localSettings(schema: string, lockTimeoutMs: number, idleTimeoutMs: number): string {
  return (
    `SET LOCAL search_path TO ${named(schema).in(postgresqlDialect)}; SET LOCAL lock_timeout = ${lockTimeoutMs}; SET LOCAL idle_in_transaction_session_timeout = ${idleTimeoutMs}; SET LOCAL TimeZone = 'UTC'; ` +
    "SET LOCAL DateStyle = 'ISO'; SET LOCAL bytea_output = 'hex'; SET LOCAL standard_conforming_strings = on; SET LOCAL cursor_tuple_fraction = 1; " +
    Object.entries(planning)
      .map(([name, value]) => `SET LOCAL ${name} = ${value}`)
      .join("; ")
  );
}
