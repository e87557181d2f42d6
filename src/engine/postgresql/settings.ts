import { planning } from "../../schema/grants.ts";
import { postgresqlDialect } from "../../schema/sql/postgresql-dialect.ts";
import { named } from "../../schema/sql/sql.ts";

/**
 * Statements that give a transaction its settings, which end with it: the schema that is searched, values in one form whatever
 * the server's defaults are, how long to wait for another's lock, and after how long the server gives up a client that says nothing
 * in the midst of a transaction (0: never), so that one that stands still holds up no other.
 *
 * A cursor is planned as if all its rows were read, as they are here. By default the server plans for the first tenth, and takes
 * nested loops: recipes over 80,000 modules took 5 to more than 60 times as long as the same statements without a cursor.
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
