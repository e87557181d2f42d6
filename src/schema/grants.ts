import { ConfigError } from "../errors.ts";
import { quotedName, quotedText } from "./sql/sql.ts";

/**
 * How a server plans questions to the views, which join up to eleven tables: every order of twelve is weighed, since
 * `who-calls-function` over 80,000 modules took 60 s without and 0.4 s with it. Of sixteen, planning can take a second, and no question
 * is answered sooner. `jit` costs more than it saves.
 */
export const planning = { join_collapse_limit: "12", from_collapse_limit: "12", geqo: "off", jit: "off" } as const;

/** Functions of the server that are marked as volatile, and only tell or look at rights themselves: a reader may call them. */
const TELLING = [
  ["random", "random_normal", "gen_random_uuid", "uuidv4", "uuidv7", "clock_timestamp", "timeofday", "array_sample", "array_shuffle"],
  ["pg_relation_size", "pg_table_size", "pg_indexes_size", "pg_total_relation_size", "pg_database_size", "pg_tablespace_size"],
  ["pg_is_in_recovery", "pg_xact_status", "txid_status", "pg_jit_available", "pg_sequence_last_value", "pg_partition_tree"],
  ["pg_partition_ancestors", "pg_collation_actual_version", "pg_database_collation_actual_version", "plpgsql_validator"],
  // These ask for a right on the sequence itself. Other roles of the database need them for each row with a number of its own.
  ["nextval", "currval", "lastval", "setval"],
].flat();

/** Functions that are not marked as volatile, and take a number of a transaction, or tell of other sessions and of machines. */
const ACTING = [
  ["txid_current", "pg_current_xact_id", "pg_stat_get_activity", "pg_stat_get_backend_activity"],
  ["pg_stat_get_backend_client_addr", "pg_stat_get_backend_client_port", "pg_stat_get_wal_senders", "pg_stat_get_wal_receiver"],
  ["inet_server_addr", "inet_server_port", "inet_client_addr", "inet_client_port"],
].flat();

/**
 * The functions that a role for statements of others must not call, as rows `p` of pg_proc with schemas `n`. All are taken to act
 * (end sessions, lock, write, wait, run text) that are not known not to, later ones included.
 */
export const actingFunctions =
  "pg_catalog.pg_proc p JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace " +
  `WHERE p.prokind IN ('f', 'w') AND (p.provolatile = 'v' OR p.prosecdef OR p.proname = ANY ('{${ACTING}}')) ` +
  `AND NOT (n.nspname = 'pg_catalog' AND p.proname = ANY ('{${TELLING}}')) ` +
  // What takes or gives these only the server itself can call.
  "AND p.prorettype NOT IN ('pg_catalog.trigger'::pg_catalog.regtype, 'pg_catalog.event_trigger'::pg_catalog.regtype, " +
  "'pg_catalog.language_handler'::pg_catalog.regtype) AND NOT 'pg_catalog.internal'::pg_catalog.regtype = ANY (p.proargtypes)";

/** Whether everybody may call the function `p`. */
const isOfPublic =
  "EXISTS (SELECT FROM pg_catalog.aclexplode(coalesce(p.proacl, pg_catalog.acldefault('f', p.proowner))) a " +
  "WHERE a.grantee = 0 AND a.privilege_type = 'EXECUTE')";

/**
 * Statements of PostgreSQL by which a role may read all of movedex and nothing else, finds the views by name and plans as they
 * need. Rights are for the owner to run, the last ones need a superuser. Nobody gets a right that PUBLIC did not have, and no name is
 * looked for in a schema that others can write to. @throws ConfigError for a name that cannot be one
 */
export function grantStatements(role: string, schema = "movedex"): string[] {
  const to = quoted("role", role);
  const of = quoted("schema", schema);
  return [
    "/* Takes from PUBLIC: EXECUTE on functions of this database with side effects, which the schema's owner and pg_monitor keep, " +
      "and CREATE on the schema public. Takes from the role: EXECUTE on the same functions. */",
    `GRANT USAGE ON SCHEMA ${of} TO ${to};`,
    `GRANT SELECT ON ALL TABLES IN SCHEMA ${of} TO ${to};`,
    // Of what the schema's owner makes later, whoever runs this.
    block(
      `EXECUTE pg_catalog.format('ALTER DEFAULT PRIVILEGES FOR ROLE %I IN SCHEMA %I GRANT SELECT ON TABLES TO %I', ${ownerOf(schema)}, ${quotedText(schema)}, ${quotedText(role)});`,
    ),
    // In this database only, which no plain statement can say without its name.
    block(
      [["search_path", `${of}, public`], ...Object.entries(planning)].map(([name, value]) => set(role, `${name} TO ${value}`)).join(" "),
      `'search_path of % is as it was: its administrator has to set it', ${quotedText(role)}`,
    ),
    // Everybody may call a function of the server unless that is taken back. The schema's owner and who watches over the server keep it.
    block(
      "IF NOT (SELECT rolsuper FROM pg_catalog.pg_roles WHERE rolname = current_user) THEN RAISE insufficient_privilege; END IF; " +
        // What stands in a schema that the role cannot use stays as it is: that of another program.
        `FOR f, was_public IN SELECT p.oid::pg_catalog.regprocedure, ${isOfPublic} FROM ${actingFunctions} ` +
        `AND pg_catalog.has_schema_privilege(${quotedText(role)}, n.oid, 'USAGE') LOOP ` +
        `EXECUTE pg_catalog.format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC, %I', f, ${quotedText(role)}); ` +
        `IF was_public THEN EXECUTE pg_catalog.format('GRANT EXECUTE ON FUNCTION %s TO pg_monitor, %I', f, ${ownerOf(schema)}); END IF; ` +
        "END LOOP; IF pg_catalog.to_regnamespace('public') IS NOT NULL THEN REVOKE CREATE ON SCHEMA public FROM PUBLIC; END IF; " +
        set(role, "temp_file_limit TO '1GB'"),
      `'% may still call functions that act: a superuser has to run these statements', ${quotedText(role)}`,
    ),
  ];
}

/** What stands around the body of a statement. */
const BODY = "$movedex$";

function block(statements: string, warning?: string): string {
  const onRefusal = warning === undefined ? "" : ` EXCEPTION WHEN insufficient_privilege THEN RAISE WARNING ${warning};`;
  return (
    `DO ${BODY} DECLARE f pg_catalog.regprocedure; was_public pg_catalog.bool; ` +
    `BEGIN SET LOCAL search_path = pg_catalog, pg_temp; ${statements}${onRefusal} END ${BODY};`
  );
}

function set(role: string, setting: string): string {
  return `EXECUTE pg_catalog.format('ALTER ROLE %I IN DATABASE %I SET %s', ${quotedText(role)}, pg_catalog.current_database(), ${quotedText(setting)});`;
}

function ownerOf(schema: string): string {
  return `(SELECT pg_catalog.pg_get_userbyid(nspowner) FROM pg_catalog.pg_namespace WHERE nspname = ${quotedText(schema)})`;
}

/** PostgreSQL cuts longer names off, at bytes. */
const NAME_BYTES = 63;

function quoted(what: string, name: string): string {
  const isName = name !== "" && Buffer.byteLength(name) <= NAME_BYTES && !/\p{Cc}/u.test(name) && !name.includes(BODY);
  if (!isName) throw new ConfigError(`give the name of a PostgreSQL ${what}: 1 to ${NAME_BYTES} bytes without control characters.`);
  return quotedName(name);
}
