import { printable } from "../../../base/printable.ts";
import { LEDGER_VERSION_MAX } from "../../../base/u64.ts";
import { actingFunctions } from "../../../schema/grants.ts";
import { parsePlaceholders } from "../../../schema/sql/parameters.ts";
import { placeError } from "../../errors.ts";
import { assertGiven } from "../../given-parameters.ts";
import type { SqlParameters, SqlValue } from "../../query-door.ts";
import type { Client, Question } from "../driver.ts";
import { plainQuestion } from "../questions.ts";

/** The user's statement, sent so that the server takes it for one statement or refuses it. `textAt` marks a parameter that is a text. */
export function toQuestion(sql: string, parameters: SqlParameters, textAt: (place: string) => string): Question {
  const how = { rowMode: "array", queryMode: "extended", types: { getTypeParser: readerOf } } as const;
  if (Array.isArray(parameters)) return { text: sql, values: parameters.map(toSent), ...how };
  assertGiven(sql, parameters);
  const named = parameters as Readonly<Record<string, SqlValue>>;
  const { texts, names } = parsePlaceholders(sql);
  const places = [...new Set(names)];
  // Texts are compared byte by byte, as all of movedex's columns are. What else a value is the server finds out by where it stands.
  const text = texts.reduce((before, next, i) => {
    const name = names[i - 1] as string;
    const place = `$${places.indexOf(name) + 1}`;
    return before + (typeof named[name] === "string" ? textAt(place) : place) + next;
  });
  return { text, values: places.map((name) => toSent(named[name] as SqlValue)), ...how };
}

/** A time in UTC, as the session has it, as SQLite's views print one: `2026-01-31 12:00:00.5+00` is 2026-01-31T12:00:00.500Z. */
function isoTime(text: string): string {
  const [, day, second, fraction = ""] = /^(\d+-\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.(\d+))?\+00$/.exec(text) ?? [];
  return day === undefined ? text : `${day}T${second}.${fraction.padEnd(3, "0")}Z`;
}

function toSent(value: SqlValue): string | Uint8Array | null {
  return value === null || value instanceof Uint8Array ? value : String(value);
}

/** Values as those of SQLite are, so that an answer does not depend on the engine. By the numbers of the types in pg_type. */
function readerOf(type: number): (text: string) => SqlValue {
  return readers[type] ?? String;
}

const readers: Readonly<Record<number, (text: string) => SqlValue>> = {
  16: (text) => (text === "t" ? 1n : 0n),
  17: (text) => Buffer.from(text.slice(2), "hex"),
  20: BigInt,
  21: BigInt,
  23: BigInt,
  26: BigInt,
  700: Number,
  701: Number,
  1184: isoTime,
  1700: (text) => {
    if (!/^-?\d+$/.test(text)) return Number(text);
    const value = BigInt(text);
    return value > LEDGER_VERSION_MAX ? text : value;
  },
};

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
  const text =
    `the role of \`${label}\` ${found[0]}${more}. movedex runs your SQL only as a role that can only read. A superuser creates one:\n` +
    "  CREATE ROLE movedex_reader LOGIN PASSWORD '…';   -- in psql\n" +
    "  movedex schema --grants movedex_reader | psql …  # in the same database\n" +
    "Then name that role in --db: postgres://movedex_reader@…";
  throw placeError(label, "MOVEDEX_STORE_ROLE", text, { found });
}
