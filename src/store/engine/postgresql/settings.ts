import { postgresqlWords } from "../../../schema/sql/postgresql-words.ts";
import { named } from "../../../schema/sql/sql.ts";

/**
 * Statements that give a transaction its settings, which end with it: the schema that is searched, values in one form whatever
 * the server's defaults are, and how long to wait for another's lock.
 */
export function localSettings(schema: string, lockTimeoutMs: number): string {
  return (
    `SET LOCAL search_path TO ${named(schema).in(postgresqlWords)}; SET LOCAL lock_timeout = ${lockTimeoutMs}; SET LOCAL TimeZone = 'UTC'; ` +
    "SET LOCAL DateStyle = 'ISO'; SET LOCAL bytea_output = 'hex'; SET LOCAL standard_conforming_strings = on"
  );
}
