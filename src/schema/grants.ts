import { ConfigError } from "../errors.ts";

/**
 * The statements of PostgreSQL by which a role may read everything of movedex, also what later versions add. For the owner of the
 * schema to run.
 *
 * @throws ConfigError for a name that cannot be one
 */
export function grantStatements(role: string, schema = "movedex"): string[] {
  const to = quoted("role", role);
  const of = quoted("schema", schema);
  return [
    `GRANT USAGE ON SCHEMA ${of} TO ${to};`,
    `GRANT SELECT ON ALL TABLES IN SCHEMA ${of} TO ${to};`,
    `ALTER DEFAULT PRIVILEGES IN SCHEMA ${of} GRANT SELECT ON TABLES TO ${to};`,
  ];
}

/** PostgreSQL cuts longer names off, at bytes. */
const NAME_BYTES = 63;

function quoted(what: string, name: string): string {
  const isName = name !== "" && Buffer.byteLength(name) <= NAME_BYTES && !/\p{Cc}/u.test(name);
  if (!isName) throw new ConfigError(`wanted the name of a ${what} of PostgreSQL: 1 to ${NAME_BYTES} bytes without control characters.`);
  return `"${name.replaceAll('"', '""')}"`;
}
