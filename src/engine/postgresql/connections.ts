import { unreachable } from "../../base/invariant.ts";
import { placeError, StoreError } from "../errors.ts";
import { DEFAULT_TIMEOUT_S, type ServerAddress } from "./address.ts";
import { type Attempt, type Client, type Driver, tlsAttempts } from "./driver.ts";
import { connectionLost, failureCode, translatePostgresError } from "./postgresql-errors.ts";
import { plainQuestion } from "./questions.ts";

/** The oldest PostgreSQL that movedex works with, as `server_version_num` counts. */
const OLDEST = 150_000;

/** How long an answer may be overdue by the server's own limit: then the way to it is broken, and the connection is given up. */
const OVERDUE_MS = 1_000;

/** After how many times the time for connecting without a word the server of a lent connection is asked for on another. */
const SILENCES = 3;

export type ConnectionLimits = {
  readonly connections: number;
  /** How long a statement may take, in milliseconds; set by each transaction. */
  readonly statementTimeoutMs?: number | undefined;
  /** Whether statements are sent without waiting for the answers of earlier ones, which come in their order. Not for COPY. */
  readonly pipeline?: boolean;
};

export type Connections = {
  /** Lends a connection. Failures come out as `pg` gives them; where a connection was had before, with a code. */
  readonly lend: () => Promise<Client>;
  /** Whether a lent connection has ended by itself. */
  readonly isLost: (client: Client) => boolean;
  readonly close: () => Promise<void>;
};

/**
 * Connects to a server and makes sure that it will do. @throws StoreError `MOVEDEX_STORE_CANNOT_OPEN` when no server answers, the
 * password is wrong or the server is too old; `MOVEDEX_STORE_MISSING` when there is no such database
 */
export async function connect(driver: Driver, address: ServerAddress, limits: ConnectionLimits): Promise<Connections> {
  const attempts = tlsAttempts(address);
  for (const [i, tls] of attempts.entries()) {
    const connections = pooled(driver, address, tls, limits);
    try {
      await checkServer(connections, address.label);
      return { ...connections, lend: () => connections.lend().catch(asLost) };
    } catch (error) {
      await connections.close();
      if (i === attempts.length - 1 || !mayBeOfTls(error)) throw cannotConnect(error, address);
    }
  }
  return unreachable("an address has at least one way of TLS to try");
}

/** A connection that is lost. What `pg` finds itself has no code: a proxy took it and closed it, or nothing came in time. */
function asLost(error: unknown): never {
  throw failureCode(error) === undefined ? connectionLost(error) : error;
}

function pooled(
  driver: Driver,
  address: ServerAddress,
  tls: Attempt,
  { connections: max, statementTimeoutMs, pipeline = false }: ConnectionLimits,
): Connections {
  const lost = new WeakSet<Client>();
  const options = {
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
  };
  const limit = statementTimeoutMs === undefined ? {} : { query_timeout: statementTimeoutMs + OVERDUE_MS };
  const pool = driver.createPool({ ...options, max, pipeline, ...limit });
  // Without these an ended connection would end the process. Those who use one learn of it by their statement.
  pool.on("error", () => {});
  pool.on("connect", (client) => {
    client.on("error", () => lost.add(client));
    client.on("end", () => lost.add(client));
  });
  const reachMs = address.connectTimeoutMs || DEFAULT_TIMEOUT_S * 1_000;
  const doubt = (client: Client, silence: Silence) =>
    isGone(client, silence, driver, { ...options, max: 1, connectionTimeoutMillis: reachMs, query_timeout: reachMs });
  return {
    lend: async () => giveUpWhenGone(await pool.connect(), doubt, SILENCES * reachMs),
    isLost: (client) => lost.has(client),
    close: () => pool.end(),
  };
}

/** What is asked about when nothing has come for a while. */
type Silence = {
  /** Whether an answer is awaited, and still nothing was read or written. */
  readonly isUnanswered: () => boolean;
  /** For how long at least the connection has been lent. */
  readonly lentMs: number;
};

/**
 * Ends a lent connection on which nothing comes, where its server cannot be reached otherwise either, or waits for us on this one while we
 * wait for it: nobody else would notice a network that drops what was sent, and a statement may rightly take longer than any limit.
 */
function giveUpWhenGone(client: Client, isGone: (client: Client, silence: Silence) => Promise<boolean>, silenceMs: number): Client {
  const { release } = client;
  const { stream } = client.connection;
  let [read, written] = [stream.bytesRead, stream.bytesWritten];
  let [isAsking, lentMs] = [false, 0];
  const timer = setInterval(async () => {
    // Rows that nobody takes yet are no silence.
    const isSilent = stream.bytesRead === read && !stream.isPaused();
    const isStill = isSilent && stream.bytesWritten === written;
    [read, written] = [stream.bytesRead, stream.bytesWritten];
    lentMs += silenceMs;
    if (!isSilent || isAsking) return;
    isAsking = true;
    const isUnanswered = () => isStill && !client.readyForQuery && stream.bytesRead === read;
    if (await isGone(client, { isUnanswered, lentMs })) stream.destroy();
    isAsking = false;
  }, silenceMs).unref();
  return Object.assign(client, {
    release: (destroy?: boolean) => {
      clearInterval(timer);
      release(destroy);
    },
  });
}

const sessions =
  "SELECT pg_backend_pid(), count(*), count(*) FILTER (WHERE wait_event_type = 'Client') FROM pg_stat_activity WHERE pid = $1";
// What the dead session holds, the next one would wait for. Another session that has got its number since began later.
const endSession =
  "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid = $1 AND backend_start < clock_timestamp() - $2 * interval '1 ms'";

/** Asks on a connection of its own. Behind a pooler, which numbers sessions itself, an answer is enough. */
async function isGone({ processID }: Client, { isUnanswered, lentMs }: Silence, driver: Driver, options: object): Promise<boolean> {
  const pool = driver.createPool(options);
  pool.on("error", () => {});
  pool.on("connect", (other) => other.on("error", () => {}));
  const id = String(processID);
  try {
    const other = await pool.connect();
    try {
      const { rows } = await other.query({ ...plainQuestion(sessions), values: [id] });
      const [own, there, waiting] = (rows[0] as string[]).map(Number);
      if (own !== other.processID) return false;
      if (there === 0) return true;
      if (waiting === 0 || !isUnanswered()) return false;
      await other.query({ ...plainQuestion(endSession), values: [id, String(lentMs)] });
      return true;
    } finally {
      other.release(true);
    }
  } catch (error) {
    // A refusal in the server's own words is an answer too.
    return /^(?:E|08|$)/.test(failureCode(error) ?? "");
  } finally {
    await pool.end();
  }
}

/** Ends a lent connection's transaction. @returns whether that could be done; where not, the connection is of no more use */
export async function rollBack(client: Client): Promise<boolean> {
  return client.query("ROLLBACK").then(
    () => true,
    () => false,
  );
}

async function checkServer(connections: Connections, label: string): Promise<void> {
  const client = await connections.lend();
  const ask = "SELECT current_setting('server_version_num'), current_setting('server_version'), current_setting('server_encoding')";
  let row: readonly unknown[];
  try {
    row = (await client.query(plainQuestion(ask))).rows[0] as unknown[];
  } catch (error) {
    throw connections.isLost(client) ? connectionLost(error) : error;
  } finally {
    client.release();
  }
  const [number, version, encoding] = row as [string, string, string];
  if (Number(number) < OLDEST) {
    const text = `could not open \`${label}\`: the server is PostgreSQL ${version}, and movedex needs ${Math.floor(OLDEST / 10_000)} or newer.`;
    throw placeError(label, "MOVEDEX_STORE_CANNOT_OPEN", text, { version });
  }
  if (encoding !== "UTF8") {
    const text = `could not open \`${label}\`: its encoding is ${encoding}, and movedex needs UTF8. Make a database with \`createdb --encoding=UTF8 --template=template0\`.`;
    throw placeError(label, "MOVEDEX_STORE_CANNOT_OPEN", text, { encoding });
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
  if (failureCode(error) !== undefined) return translatePostgresError(error, "open", label);
  // What `pg` finds itself has no code: no TLS on the other side, no password for a server that wants one, a certificate.
  const { message, code = "" } = error as Error & { code?: string };
  const hint = address.password === undefined ? " No password was given; PGPASSWORD or ~/.pgpass may hold it." : "";
  return placeError(label, "MOVEDEX_STORE_CANNOT_OPEN", `could not open \`${label}\`: ${message}.${hint}`, { reason: code }, error);
}
