import { planning } from "../../schema/grants.ts";
import { postgresqlDialect } from "../../schema/sql/postgresql-dialect.ts";
import { named } from "../../schema/sql/sql.ts";

/**
 * Statements that give a transaction its settings: the schema, one form of values whatever the server's defaults are, how long to
 * wait for a lock, and when the server drops a client that is silent within a transaction (0: never). A cursor is planned for all
 * of its rows. By default the server plans for the first tenth and takes nested loops, which are many times slower for whole
 * results.
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
