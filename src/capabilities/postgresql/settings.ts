import { checkName } from "../../core/db/schema/sql/sql.ts";

export type SessionLimits = {
  /** How long to wait for another's lock, in milliseconds. Default: 10 s. */
  readonly lockTimeoutMs?: number | undefined;
  /** How long one statement may take, in milliseconds. Default: the server's own. */
  readonly statementTimeoutMs?: number | undefined;
  /** After how long the server gives up a session that stands still in the midst of a transaction. Default 0: never. */
  readonly idleTimeoutMs?: number | undefined;
};

/** Tells a session whose settings arrived from one whose proxy dropped them. */
export const MARK = "movedex.session";

/**
 * The settings of a session by their names. How the server prints is among them, whatever a role or a database sets.
 *
 * Views join up to eleven tables, and every order of twelve is weighed: over 80,000 modules
 * `who-calls-function` took 60 s without and 0.4 s with it. Of sixteen, planning can take a second, and no question is answered sooner.
 * `jit` costs more than it saves. A cursor is planned for all rows: planned for the first tenth, whole results are many times slower. A
 * server gives up a client that is gone without a word after some 40 s, and what it had locked.
 */
export function sessionSettings(schema: string, limits: SessionLimits): Readonly<Record<string, string | number>> {
  const { lockTimeoutMs = 10_000, statementTimeoutMs, idleTimeoutMs = 0 } = limits;
  return {
    // pg_catalog comes first by itself: no function of the schema stands in for one of the server's.
    search_path: checkName(schema),
    lock_timeout: lockTimeoutMs,
    ...(statementTimeoutMs !== undefined && { statement_timeout: Math.ceil(statementTimeoutMs) }),
    idle_in_transaction_session_timeout: idleTimeoutMs,
    TimeZone: "UTC",
    DateStyle: "ISO",
    bytea_output: "hex",
    standard_conforming_strings: "on",
    IntervalStyle: "postgres",
    extra_float_digits: 1,
    quote_all_identifiers: "off",
    cursor_tuple_fraction: 1,
    join_collapse_limit: 12,
    from_collapse_limit: 12,
    geqo: "off",
    jit: "off",
    tcp_keepalives_idle: 10,
    tcp_keepalives_interval: 10,
    tcp_keepalives_count: 3,
    tcp_user_timeout: 40_000,
    [MARK]: "on",
  };
}

export function startOptions(settings: Readonly<Record<string, string | number>>): string {
  return Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(" ");
}

/** The settings as statements of one transaction, behind a proxy that gives the next one another session. */
export function localSettings(settings: Readonly<Record<string, string | number>>): string {
  return Object.entries(settings)
    .map(([name, value]) => `; SET LOCAL ${name} = '${value}'`)
    .join("");
}
