import { readFileSync } from "node:fs";
import type { ConnectionOptions } from "node:tls";
import { plural } from "../../core/base/plural.ts";
import { printable } from "../../core/base/printable.ts";
import { placeError, StoreError } from "../../core/db/engine/errors.ts";
import { ConfigError, MovedexError, unreachable } from "../../core/errors.ts";
import { stoppedByUser } from "../../core/exit-codes.ts";
import type { ServerAddress } from "./address.ts";
import { type Answer, type Client, createPool, type Pool, plainQuestion, type Question, silence } from "./driver.ts";
import { connectionLost, failureCode, hindranceOf, translatePostgresError } from "./postgresql-errors.ts";
import { MARK, type SessionLimits, sessionSettings, startOptions } from "./settings.ts";

/** How to try a connection: with TLS by these options, or without (`false`). */
export type Attempt = ConnectionOptions | false;

/**
 * What to try in turn, as `sslmode` asks (as libpq does): `prefer` and `allow` take either, `require` any certificate without
 * `sslrootcert`, `verify-ca` one that an authority vouches for, `verify-full` the host's own.
 * @throws ConfigError when a file cannot be read
 */
function tlsAttempts(address: ServerAddress): readonly Attempt[] {
  const { sslMode, sslRootCert } = address;
  if (sslMode === "disable" || address.host.startsWith("/")) return [false];
  const files = { ca: read("sslrootcert", sslRootCert), cert: read("sslcert", address.sslCert), key: read("sslkey", address.sslKey) };
  const given = Object.fromEntries(Object.entries(files).filter(([, pem]) => pem !== undefined));
  if (sslMode === "allow") return [false, { ...given, rejectUnauthorized: false }];
  if (sslMode === "prefer") return [{ ...given, rejectUnauthorized: false }, false];
  if (sslMode === "require" && sslRootCert === undefined) return [{ ...given, rejectUnauthorized: false }];
  if (sslMode === "verify-full") return [given];
  return [{ ...given, checkServerIdentity: () => undefined }];
}

function read(name: string, file: string | undefined): Buffer | undefined {
  if (file === undefined || file === "system") return undefined;
  try {
    return readFileSync(file);
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? "unknown";
    throw new ConfigError(`could not read the certificate or key \`${printable(file)}\` of ${name}: ${reason}.`, { cause: error });
  }
}

/** The oldest PostgreSQL that movedex works with, as `server_version_num` counts. */
const OLDEST = 150_000;

/** What a proxy says that takes no settings with the beginning of a session, and what helps. */
const PROTOCOL_VIOLATION = "08P01";
const POOLER = " Behind a proxy such as pgbouncer, add `pooler=transaction` to the address.";

/** How long an answer may be overdue by the server's own limit: then the way to it is broken, and the connection is given up. */
const OVERDUE_MS = 1_000;

export type ConnectionLimits = SessionLimits & {
  readonly connections: number;
  /** Whether a run that writes begins with it. */
  readonly isOfRun?: boolean | undefined;
  /** Aborted when the run is to end. */
  readonly ending?: AbortSignal | undefined;
  /** Called when the server was silent to a run that is to end. */
  readonly onSilence?: () => void;
};

/** With fewer connections a run that writes waits for itself: its engine's, and those of its locks. It has up to twelve at a time. */
const OF_RUN = 4;

/**
 * Connects to a server and makes sure that it will do. @throws StoreError `MOVEDEX_STORE_CANNOT_OPEN` when no server answers, the
 * password is wrong or the server is too old; `MOVEDEX_STORE_MISSING` when there is no such database
 */
export async function connect(address: ServerAddress, limits: ConnectionLimits): Promise<Pool> {
  if (silent.has(address.label)) throw cannotConnect(silence(), address);
  const attempts = tlsAttempts(address);
  for (const [i, tls] of attempts.entries()) {
    const begunMs = performance.now();
    const pool = openPool(poolOptions(address, tls, limits), address, limits);
    try {
      await checkServer(pool, address, limits);
      return pool;
    } catch (error) {
      await pool.end();
      // One that says nothing says no more in another way, and the run may have no time for that.
      if (performance.now() - begunMs >= address.connectTimeoutMs) throw cannotConnect(silence(), address);
      if (i === attempts.length - 1 || !mayBeOfTls(error)) throw cannotConnect(error, address);
    }
  }
  return unreachable("an address has at least one way of TLS to try");
}

/** How long a server may be silent to a run that is to end, and to one that closes its connections. */
const SILENT_MS = 2_000;

/** Servers that were silent then: what is left to do asks them nothing more. */
const silent = new Set<string>();

/** A pool that is cut off from a server that hangs: once the run is to end, and where that does not let it end. */
function openPool(options: object, { label }: ServerAddress, { ending, onSilence }: ConnectionLimits): Pool {
  const pool = createPool(options);
  let timer: NodeJS.Timeout | undefined;
  const watch = (): void => {
    const isByUser = ending?.reason instanceof MovedexError && stoppedByUser.includes(ending.reason.exit);
    let before = pool.heard();
    const isSilent = (): boolean => {
      const last = before;
      before = pool.heard();
      return before !== undefined && before === last;
    };
    const look = async (): Promise<void> => {
      // Where time alone is over, to seal a large snapshot may take longer: cut each night, it would never be sealed.
      if (!isSilent() || (!isByUser && (await answers(options)))) return void timer?.refresh();
      silent.add(label);
      onSilence?.();
      pool.cut();
    };
    timer = setTimeout(look, SILENT_MS).unref();
  };
  if (ending?.aborted) watch();
  else ending?.addEventListener("abort", watch, { once: true });
  const end = async (): Promise<void> => {
    const late = setTimeout(pool.cut, silent.has(label) ? 0 : SILENT_MS);
    await pool.end();
    clearTimeout(late);
    clearTimeout(timer);
    timer = undefined;
    ending?.removeEventListener("abort", watch);
  };
  return { ...pool, end };
}

/** Whether a server says anything to one who comes anew, were it that it has no room. */
async function answers(options: object): Promise<boolean> {
  const pool = createPool({ ...options, max: 1, connectionTimeoutMillis: SILENT_MS, query_timeout: SILENT_MS });
  try {
    const client = await lend(pool);
    await ask(client, "SELECT 1").finally(() => client.release(true));
    return true;
  } catch (error) {
    return hindranceOf(error) !== "lost";
  } finally {
    await pool.end();
  }
}

function poolOptions(address: ServerAddress, tls: Attempt, limits: ConnectionLimits): object {
  const { connections: max, statementTimeoutMs } = limits;
  return {
    host: address.host,
    port: address.port,
    user: address.user,
    database: address.database,
    password: address.password,
    ssl: tls,
    application_name: address.applicationName,
    connectionTimeoutMillis: address.connectTimeoutMs,
    allowExitOnIdle: true,
    keepAlive: true,
    // Else the system asks after two hours for the first time.
    keepAliveInitialDelayMillis: 10_000,
    max,
    ...(!address.isPooled && { options: startOptions(sessionSettings(address.schema, limits)) }),
    ...(statementTimeoutMs !== undefined && { query_timeout: statementTimeoutMs + OVERDUE_MS }),
  };
}

/** Lends a connection of a server that was there before. What `pg` finds itself has no code: the way to it is lost. */
export async function lend(pool: Pool): Promise<Client> {
  return await pool.connect().catch(asLost);
}

/** Asks a lent connection. Failures have a code: the server's, the system's, or that of a lost connection. */
export async function ask(client: Client, question: string | Question): Promise<Answer> {
  return await client.query(question).catch(asLost);
}

function asLost(error: unknown): never {
  throw failureCode(error) === undefined ? connectionLost(error) : error;
}

/** Ends a lent connection's transaction. @returns whether that could be done; where not, the connection is of no more use */
export async function rollBack(client: Client): Promise<boolean> {
  return client.query("ROLLBACK").then(
    () => true,
    () => false,
  );
}

const server = `SELECT current_setting('server_version_num'), current_setting('server_version'), current_setting('server_encoding'),
  current_setting('${MARK}', true), (SELECT r.rolconnlimit FROM pg_roles r WHERE r.rolname = session_user AND NOT r.rolsuper)`;

/** Refuses a server that movedex cannot use, before anything is made there. @throws StoreError */
export async function checkServer(pool: Pool, { label, isPooled }: ServerAddress, { isOfRun = false }: ConnectionLimits): Promise<void> {
  const client = await pool.connect();
  const { rows } = await ask(client, plainQuestion(server)).finally(() => client.release());
  const [number, version, encoding, mark, limit] = rows[0] as [string, string, string, string | null, string | number | null];
  if (Number(number) < OLDEST) {
    const text = `could not open \`${label}\`: the server is PostgreSQL ${version}, and movedex needs ${Math.floor(OLDEST / 10_000)} or newer.`;
    throw placeError(label, "MOVEDEX_STORE_CANNOT_OPEN", text, { version });
  }
  if (encoding !== "UTF8") {
    const text = `could not open \`${label}\`: its encoding is ${encoding}, and movedex needs UTF8. Make a database with \`createdb --encoding=UTF8 --template=template0\`.`;
    throw placeError(label, "MOVEDEX_STORE_CANNOT_OPEN", text, { encoding });
  }
  if (!isPooled && mark !== "on") {
    const text = `could not open \`${label}\`: a proxy before the server drops the settings of a session.${POOLER}`;
    throw placeError(label, "MOVEDEX_STORE_CANNOT_OPEN", text);
  }
  // Behind a proxy it is the proxy's connections that count. -1 is no limit.
  const allowed = Number(limit ?? -1);
  if (isOfRun && !isPooled && allowed >= 0 && allowed < OF_RUN) {
    const text = `could not open \`${label}\`: the role may have ${plural(allowed, "connection")} (its CONNECTION LIMIT), and a run needs at least ${OF_RUN}, better 12. Raise that limit.`;
    throw placeError(label, "MOVEDEX_STORE_CANNOT_OPEN", text, { limit: allowed, needed: OF_RUN });
  }
}

/** Whether without TLS, or with it, a connection may yet be had: the server does not speak it, or refuses such connections. */
function mayBeOfTls(error: unknown): boolean {
  const code = failureCode(error);
  return !(error instanceof StoreError) && (code === undefined || code === "28000" || code === "ECONNRESET" || code === "08006");
}

function cannotConnect(error: unknown, address: ServerAddress): unknown {
  const { label } = address;
  if (error instanceof StoreError) return error;
  const isRefused = failureCode(error) === PROTOCOL_VIOLATION;
  if (failureCode(error) !== undefined && !isRefused) return translatePostgresError(error, "open", label);
  // What `pg` finds itself has no code: no TLS on the other side, no password for a server that wants one, a certificate.
  const { message, code = "" } = error as Error & { code?: string };
  const noPassword =
    address.password === undefined && /password/i.test(message) ? " No password was given; PGPASSWORD or ~/.pgpass may hold it." : "";
  const text = `could not open \`${label}\`: ${printable(message)}.${isRefused ? POOLER : noPassword}`;
  return placeError(label, "MOVEDEX_STORE_CANNOT_OPEN", text, { reason: code }, error);
}
