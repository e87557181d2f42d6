import { failureOf, type Meanings, SAID, StoreError } from "../../core/db/engine/errors.ts";

const CUT = "the connection was lost. Nothing committed is lost: run again";

/** SQLSTATE codes (postgresql.org/docs/current/errcodes-appendix.html) and the system's own. */
const meanings: Meanings = [
  ["ECONNREFUSED", "MOVEDEX_STORE_CANNOT_OPEN", "no server answers there. Check host and port, and that PostgreSQL is running"],
  ["ENOENT", "MOVEDEX_STORE_CANNOT_OPEN", "there is no such socket. Check the host, and that PostgreSQL is running"],
  ["EACCES", "MOVEDEX_STORE_CANNOT_OPEN", "access to the socket was denied"],
  ["ENOTFOUND", "MOVEDEX_STORE_CANNOT_OPEN", "the name of the host is not known. Check the host"],
  ["EAI_", "MOVEDEX_STORE_CANNOT_OPEN", "the name of the host could not be looked up. Check the host and the network"],
  ["EHOSTUNREACH", "MOVEDEX_STORE_CANNOT_OPEN", "the host cannot be reached. Check the host and the network"],
  ["ENETUNREACH", "MOVEDEX_STORE_CANNOT_OPEN", "the host cannot be reached. Check the host and the network"],
  [
    "ETIMEDOUT",
    "MOVEDEX_STORE_CANNOT_OPEN",
    // Such a proxy takes whoever comes, and then says nothing.
    "no answer came in time. Check host, port and firewall, whether the server hangs, and whether a pooling proxy has a connection left (docs/postgresql.md)",
  ],
  ["28", "MOVEDEX_STORE_CANNOT_OPEN", "the server refused the user or the password. Check both; the password may come from PGPASSWORD"],
  ["3D000", "MOVEDEX_STORE_MISSING", "the server has no such database. Name another, or make it with `createdb`"],
  ["3F000", "MOVEDEX_STORE_MISSING", "the database has no such schema. Make it with `movedex sync`"],
  [
    "42501",
    "MOVEDEX_STORE_READ_ONLY",
    "the user has no right to do that. A role that writes needs CREATE on the database, or a schema of its own, and TEMPORARY on the database (docs/postgresql.md). Grant it, or name another user",
  ],
  ["25006", "MOVEDEX_STORE_READ_ONLY", "the database may only be read here. Name the server that may be written to"],
  ["53100", "MOVEDEX_STORE_FULL", "the server's disk is full. Nothing committed is lost: make room, then run again"],
  [
    "53300 InitializeSessionUserId",
    "MOVEDEX_STORE_CANNOT_OPEN",
    "the role has all connections that its CONNECTION LIMIT allows. Raise that",
  ],
  ["53300 CheckMyDatabase", "MOVEDEX_STORE_CANNOT_OPEN", "the database has all connections that its CONNECTION LIMIT allows. Raise that"],
  ["53300", "MOVEDEX_STORE_BUSY", "the server has no connection left. Wait for others to end, or raise its max_connections"],
  ["53200", "MOVEDEX_STORE_IO", "the server's memory ran out. Nothing committed is lost: run again"],
  [
    "53400",
    "MOVEDEX_STORE_IO",
    `a limit of the role, the database or the server was reached (${SAID}). Nothing committed is lost: raise that limit, then run again`,
  ],
  ["53", "MOVEDEX_STORE_IO", "the server ran out of a resource. Nothing committed is lost: run again"],
  ["55P03", "MOVEDEX_STORE_BUSY", "another process is writing there. Wait until it ends, then run again"],
  ["40", "MOVEDEX_STORE_BUSY", "others wrote the same rows again and again. Wait for them to end, then run again"],
  [
    "57014",
    "MOVEDEX_STORE_TIMEOUT",
    "the statement took longer than its time, or than the statement_timeout of the role or the database, and was stopped",
  ],
  [
    "25P04",
    "MOVEDEX_STORE_TIMEOUT",
    "the transaction took longer than the transaction_timeout of the role or the database, and was stopped. Raise that limit, then run again",
  ],
  ["25P03", "MOVEDEX_STORE_CUT", CUT],
  ["57P03", "MOVEDEX_STORE_CUT", "the server is starting or stopping. Run again when it is up"],
  ["57", "MOVEDEX_STORE_CUT", CUT],
  ["08P01", "MOVEDEX_STORE_UNEXPECTED", "the server, or a proxy before it, does not take what was sent"],
  ["08", "MOVEDEX_STORE_CUT", CUT],
  ["ECONNRESET", "MOVEDEX_STORE_CUT", CUT],
  ["EPIPE", "MOVEDEX_STORE_CUT", CUT],
  ["58", "MOVEDEX_STORE_IO", "the server's disk or file system failed. Nothing committed is lost: check the disk, then run again"],
  ["XX001", "MOVEDEX_STORE_DAMAGED", "the server found damaged data. Restore a copy"],
  ["XX002", "MOVEDEX_STORE_DAMAGED", "the server found a damaged index. Run REINDEX, or restore a copy"],
];

/** A failure of PostgreSQL, or of the way to it, as `could not <wanted> …` with the server's code; any other error as it is. */
export function translatePostgresError(error: unknown, wanted: string, label: string): unknown {
  const code = failureCode(error);
  if (code === undefined || error instanceof StoreError) return error;
  // Whose limit it is, only the name of the server's function says in every language.
  const { routine = "" } = error as { readonly routine?: string };
  return failureOf(meanings, { code, detail: routine, error: error as Error, wanted, place: label, fact: "sqlState" });
}

/** A connection that ended in the midst of work; `pg` gives that error no code. */
export function connectionLost(cause: unknown): Error {
  return Object.assign(new Error("the connection ended", { cause }), { code: "08006" });
}

/** The code of a failure that came from the server or the network: five characters of SQLSTATE, or the system's (`ECONNREFUSED`). */
export function failureCode(error: unknown): string | undefined {
  if (error instanceof StoreError) return typeof error.facts["sqlState"] === "string" ? error.facts["sqlState"] : undefined;
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === "string" && (/^[0-9A-Z]{5}$/.test(code) || /^E[A-Z]+(?:_[A-Z]+)?$/.test(code)) ? code : undefined;
}

/** What came in the way of work that may then be done again. */
export type Hindrance = "conflict" | "duplicate" | "locked" | "unnamed" | "stale" | "lost";

const hindrances: readonly (readonly [code: RegExp, hindrance: Hindrance])[] = [
  // Others came between: a serialization failure, a deadlock.
  [/^40001|^40P01/, "conflict"],
  // Another transaction wrote the very same row first: done again, this one finds it.
  [/^23505/, "duplicate"],
  // It waited in vain for another's lock.
  [/^55P03/, "locked"],
  // The session does not know a named statement any more, or has another by its name.
  [/^26000|^42P05/, "unnamed"],
  // It keeps a statement for tables that were changed since.
  [/^0A000 RevalidateCachedQuery/, "stale"],
  // The connection is gone, or the server not yet back.
  [/^(?!08P01)(?:08|25P03|57P0[1235]|ECONN|EPIPE|ETIMEDOUT|ENOENT)/, "lost"],
];

/** What was in the way; undefined for what fails the work for good. */
export function hindranceOf(error: unknown): Hindrance | undefined {
  const { routine = "" } = ((error instanceof StoreError ? error.cause : error) ?? {}) as { readonly routine?: string };
  const code = `${failureCode(error)} ${routine}`;
  return hindrances.find(([wanted]) => wanted.test(code))?.[1];
}
