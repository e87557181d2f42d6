import { userInfo } from "node:os";
import { printable } from "../../core/base/printable.ts";
import { ConfigError } from "../../core/errors.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** How much of a connection's safety TLS is asked for; libpq's words (postgresql.org/docs/current/libpq-ssl.html, table 32.1). */
export const sslModes = ["disable", "allow", "prefer", "require", "verify-ca", "verify-full"] as const;

export type SslMode = (typeof sslModes)[number];

/** Where a PostgreSQL database is and who asks for it. */
export type ServerAddress = {
  /** A name, a number, or the directory of a Unix socket. */
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly database: string;
  /** A function, so that nothing that prints the rest prints it too. Undefined: `~/.pgpass` is asked. */
  readonly password: (() => string) | undefined;
  readonly sslMode: SslMode;
  /** Files in PEM: who may vouch for the server, and the client's own certificate and key. */
  readonly sslRootCert: string | undefined;
  readonly sslCert: string | undefined;
  readonly sslKey: string | undefined;
  readonly applicationName: string;
  readonly connectTimeoutMs: number;
  /** The schema that holds movedex's tables. */
  readonly schema: string;
  /** Whether a proxy such as pgbouncer stands before the server and gives each transaction another session (`pooler=transaction`). */
  readonly isPooled: boolean;
  /** The address without the password, for messages. */
  readonly label: string;
};

/** The parameters of an address and the environment's variables that stand for them (libpq's names). */
const variables = {
  host: "PGHOST",
  port: "PGPORT",
  user: "PGUSER",
  password: "PGPASSWORD",
  dbname: "PGDATABASE",
  sslmode: "PGSSLMODE",
  sslrootcert: "PGSSLROOTCERT",
  sslcert: "PGSSLCERT",
  sslkey: "PGSSLKEY",
  application_name: "PGAPPNAME",
  connect_timeout: "PGCONNECT_TIMEOUT",
} as const;

/** movedex's own parameters: libpq has none for a schema or a pooler. */
const own = ["schema", "pooler"] as const;
const DEFAULT_SCHEMA = "movedex";
const SCHEMA_NAME = /^[a-z_][a-z0-9_]{0,62}$/;

/** Passwords that were taken out of addresses, by the address without it. Kept in memory only. */
const passwords = new Map<string, string>();

/** Stands where an address has no host: `URL` takes none without. */
const NO_HOST = "no-host.invalid";
const DEFAULT_PORT = 5432;
/** Seconds for connecting where no `connect_timeout` is given. */
const DEFAULT_TIMEOUT_S = 10;

/**
 * Reads `postgres://user:password@host:port/database?sslmode=…`. What it lacks, libpq's variables say (`PGHOST`, `PGPASSWORD` …),
 * then defaults. `schema` and `pooler` are movedex's own parameters. @throws ConfigError, which never holds the password
 */
export function readAddress(text: string, env: Env = {}): ServerAddress {
  const url = parse(text);
  const given = Object.fromEntries(url.searchParams) as Readonly<Record<string, string>>;
  const known: readonly string[] = [...Object.keys(variables), ...own];
  const unknown = Object.keys(given).find((name) => !known.includes(name));
  if (unknown !== undefined) {
    throw new ConfigError(`a PostgreSQL address has no parameter \`${printable(unknown, 40)}\`. Parameters are ${known.join(", ")}.`);
  }
  const { schema = DEFAULT_SCHEMA, pooler } = given;
  if (pooler !== undefined && pooler !== "transaction") {
    throw new ConfigError(`pooler cannot be \`${printable(pooler, 40)}\`. Give \`transaction\`, or leave it out.`);
  }
  const of = (name: keyof typeof variables, part = ""): string | undefined =>
    (given[name] ?? decode(part)) || env[variables[name]] || undefined;
  const host = of("host", url.hostname === NO_HOST ? "" : url.hostname.replace(/^\[(.*)\]$/, "$1")) ?? "localhost";
  const port = wholeNumber("port", of("port", url.port) ?? String(DEFAULT_PORT), 65_535);
  const user = of("user", url.username) ?? userInfo().username;
  const database = of("dbname", url.pathname.slice(1)) ?? user;
  const password = of("password", url.password) ?? passwords.get(text);
  const sslMode = of("sslmode") ?? "prefer";
  if (!isSslMode(sslMode)) {
    throw new ConfigError(`sslmode cannot be \`${printable(sslMode, 40)}\`. Give one of ${sslModes.join(", ")}.`);
  }
  return {
    host,
    port,
    user,
    database,
    password: password === undefined ? undefined : () => password,
    sslMode,
    sslRootCert: of("sslrootcert"),
    sslCert: of("sslcert"),
    sslKey: of("sslkey"),
    applicationName: of("application_name") ?? "movedex",
    connectTimeoutMs: wholeNumber("connect_timeout", of("connect_timeout") ?? String(DEFAULT_TIMEOUT_S), 3_600) * 1_000,
    schema: checkSchema(schema),
    isPooled: pooler !== undefined,
    label: printable(
      `postgres://${encodeURIComponent(user)}@${host.includes(":") ? `[${host}]` : host}:${port}/${encodeURIComponent(database)}`,
    ),
  };
}

/**
 * An address that says everything and holds no password, with `schema` instead of its own where given. It can be printed and
 * passed on; `readAddress` in this process knows its password. @throws ConfigError
 */
export function completeAddress(text: string, env: Env, schema?: string): string {
  const { host, port, user, database, password, ...rest } = readAddress(text, env);
  const named = schema === undefined ? rest.schema : checkSchema(schema);
  const url = new URL(`postgres://${NO_HOST}/`);
  const parameters: Readonly<Record<string, string | undefined>> = {
    sslmode: rest.sslMode === "prefer" ? undefined : rest.sslMode,
    sslrootcert: rest.sslRootCert,
    sslcert: rest.sslCert,
    sslkey: rest.sslKey,
    application_name: rest.applicationName === "movedex" ? undefined : rest.applicationName,
    connect_timeout: rest.connectTimeoutMs === DEFAULT_TIMEOUT_S * 1_000 ? undefined : String(rest.connectTimeoutMs / 1_000),
    schema: named === DEFAULT_SCHEMA ? undefined : named,
    pooler: rest.isPooled ? "transaction" : undefined,
    // A directory of sockets has no place before the path.
    host: host.startsWith("/") ? host : undefined,
    port: host.startsWith("/") ? String(port) : undefined,
  };
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) url.searchParams.set(name, value);
  const place = host.startsWith("/") ? "" : `${host.includes(":") ? `[${host}]` : host}:${port}`;
  const complete = `postgres://${encodeURIComponent(user)}@${place}/${encodeURIComponent(database)}${url.search}`;
  if (password !== undefined) passwords.set(complete, password());
  return complete;
}

/** An address that `completeAddress` gave, with its password: only for handing it to a process of our own, never for printing. */
export function addressWithPassword(complete: string): string {
  const password = passwords.get(complete);
  if (password === undefined) return complete;
  return `${complete}${complete.includes("?") ? "&" : "?"}password=${encodeURIComponent(password)}`;
}

function checkSchema(name: string): string {
  if (SCHEMA_NAME.test(name)) return name;
  throw new ConfigError(`\`${printable(name, 80)}\` is not the name of a schema. Use up to 63 of a-z, 0-9 and _, with no digit first.`);
}

function parse(text: string): URL {
  // Without a host between (`postgres:///archive`, or a user alone) an address is fine here, but not for `URL`.
  const withHost = text.replace(/^(postgres(?:ql)?:\/\/)((?:[^@/?]*@)?)(?=[:/?]|$)/i, `$1$2${NO_HOST}`);
  let url: URL;
  try {
    if (!/^postgres(?:ql)?:\/\//i.test(text)) throw new TypeError("no // after the scheme");
    url = new URL(withHost);
  } catch {
    // The failure itself holds the whole text, password included.
    throw new ConfigError(
      "the database address cannot be read. Write postgres://user@host:5432/database, and @, / or # in a name or password as %40, %2F, %23.",
    );
  }
  return url;
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new ConfigError("the database address has a % without two hex digits after it. Write % as %25.");
  }
}

function wholeNumber(name: string, text: string, largest: number): number {
  const number = Number(text);
  if (/^\d+$/.test(text) && number <= largest) return number;
  throw new ConfigError(`${name} cannot be \`${printable(text, 40)}\`. Give a whole number up to ${largest}.`);
}

function isSslMode(text: string): text is SslMode {
  return (sslModes as readonly string[]).includes(text);
}
