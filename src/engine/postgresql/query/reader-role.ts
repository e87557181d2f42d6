import { printable } from "../../../base/printable.ts";
import { actingFunctions } from "../../../schema/grants.ts";
import { StoreError } from "../../errors.ts";
import type { Client } from "../driver.ts";
import { plainQuestion } from "../questions.ts";

/** Roles of the server whose members reach files, programs, others' sessions or all tables. */
const POWERFUL = [
  ["pg_write_server_files", "pg_execute_server_program", "pg_read_server_files", "pg_write_all_data", "pg_signal_backend"],
  ["pg_maintain", "pg_checkpoint", "pg_create_subscription", "pg_database_owner", "pg_monitor"],
].flat();

const OURS = "n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'";
const RELATIONS = `pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND ${OURS}`;

/** What the role may do besides reading, a sentence's part each, by the server's own word; no row where it only reads. */
const WRITES = [
  "SELECT 'is a superuser' FROM pg_roles WHERE rolname = current_user AND rolsuper",
  "SELECT 'may make roles, databases or replicas' FROM pg_roles WHERE rolname = current_user AND (rolcreaterole OR rolcreatedb OR rolreplication OR rolbypassrls)",
  `SELECT 'is a member of ' || string_agg(rolname, ', ') FROM pg_roles WHERE rolname <> current_user AND pg_has_role(oid, 'MEMBER') AND (rolsuper OR rolname = ANY ('{${POWERFUL}}')) HAVING count(*) > 0`,
  `SELECT 'owns ' || min(format('%I.%I', n.nspname, c.relname)) FROM ${RELATIONS} AND pg_has_role(c.relowner, 'MEMBER') HAVING count(*) > 0`,
  `SELECT 'may write to ' || min(format('%I.%I', n.nspname, c.relname)) FROM ${RELATIONS} AND (has_table_privilege(c.oid, 'INSERT, UPDATE, DELETE, TRUNCATE') OR has_any_column_privilege(c.oid, 'INSERT, UPDATE')) HAVING count(*) > 0`,
  `SELECT 'may make objects in ' || string_agg(quote_ident(n.nspname), ', ') FROM pg_namespace n WHERE ${OURS} AND has_schema_privilege(n.oid, 'CREATE') HAVING count(*) > 0`,
  "SELECT 'may make schemas' WHERE has_database_privilege(current_database(), 'CREATE')",
].join(" UNION ALL ");
const ACTS = `SELECT format('may call %s functions that act, as %s', count(*), min(p.proname)) FROM ${actingFunctions} AND has_function_privilege(p.oid, 'EXECUTE') AND has_schema_privilege(n.oid, 'USAGE') HAVING count(*) > 0`;

/**
 * Makes sure that a connection's role can only read, whatever the statement. For movedex's own statements alone, acting functions
 * are no fault. @throws StoreError `MOVEDEX_STORE_ROLE`, with what to run
 */
export async function assertReader(client: Client, label: string, asksForOthers: boolean): Promise<void> {
  const { rows } = await client.query(plainQuestion(asksForOthers ? `${WRITES} UNION ALL ${ACTS}` : WRITES));
  if (rows.length === 0) return;
  const found = rows.map(([text]) => printable(String(text), 500));
  const more = found.length === 1 ? "" : ` (and ${found.length - 1} more)`;
  throw new StoreError(
    "MOVEDEX_STORE_ROLE",
    `the role of \`${label}\` ${found[0]}${more}. movedex runs your SQL only as a role that can do nothing but read. A superuser creates one:\n` +
      "  CREATE ROLE movedex_reader LOGIN PASSWORD '…';   -- in psql\n" +
      "  movedex schema --grants movedex_reader | psql …  # in the same database\n" +
      "Then name that role in --db: postgres://movedex_reader@…",
    { facts: { path: label, found } },
  );
}
