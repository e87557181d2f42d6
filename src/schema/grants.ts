import { ConfigError } from "../errors.ts";

/**
 * How a server has to plan questions to the public views. It weighs every order of up to 8 tables and takes more as they are written; a
 * view joins up to eleven, and two of them meet in one question. Over 80,000 modules `who-calls-function` took over 60 s, and takes 0.4 s
 * of the processor once every order is weighed, which costs up to 0.2 s of planning. To compile a question (`jit`) took longer than it saved.
 */
export const planning = { join_collapse_limit: "16", from_collapse_limit: "16", geqo: "off", jit: "off" } as const;

/**
 * The statements of PostgreSQL by which a role may read everything of movedex, also what later versions add, and by which its sessions
 * find the views without the schema's name (`SELECT * FROM functions_latest`) and plan as they need it. For the owner of the schema to
 * run. The last one needs a right over the role: where it is missing the server warns, and the rest stands.
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
    // In this database only, which no plain statement can say without its name.
    `DO ${BODY} BEGIN EXECUTE format('ALTER ROLE %I IN DATABASE %I SET search_path TO %I, public', ${literal(role)}, current_database(), ${literal(schema)}); ` +
      Object.entries(planning)
        .map(
          ([name, value]) =>
            `EXECUTE format('ALTER ROLE %I IN DATABASE %I SET ${name} TO ${value}', ${literal(role)}, current_database()); `,
        )
        .join("") +
      `EXCEPTION WHEN insufficient_privilege THEN RAISE WARNING 'search_path of % is as it was: its administrator has to set it', ${literal(role)}; END ${BODY};`,
  ];
}

/** What stands around the body of a statement. */
const BODY = "$movedex$";

/** PostgreSQL cuts longer names off, at bytes. */
const NAME_BYTES = 63;

function quoted(what: string, name: string): string {
  const isName = name !== "" && Buffer.byteLength(name) <= NAME_BYTES && !/\p{Cc}/u.test(name) && !name.includes(BODY);
  if (!isName) throw new ConfigError(`wanted the name of a ${what} of PostgreSQL: 1 to ${NAME_BYTES} bytes without control characters.`);
  return `"${name.replaceAll('"', '""')}"`;
}

function literal(name: string): string {
  return `'${name.replaceAll("'", "''")}'`;
}
