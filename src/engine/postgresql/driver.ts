import type { EventEmitter } from "node:events";
import { readFileSync } from "node:fs";
import type { Socket } from "node:net";
import type { Writable } from "node:stream";
import type { ConnectionOptions } from "node:tls";
import type { Connection, Client as PgClient, QueryConfig } from "pg";
import { printable } from "../../base/printable.ts";
import { ConfigError } from "../../errors.ts";
import type { ServerAddress } from "./address.ts";

/** A question to PostgreSQL: its values as text (or bytes), its rows as lists. */
export type Question = {
  readonly text: string;
  /** By which this connection's session keeps the statement with its plan; without one it is parsed and planned each time. */
  readonly name?: string;
  readonly values?: readonly (string | Uint8Array | null)[];
  readonly rowMode?: "array";
  /** `extended`: the server takes the text for one statement, even without values, or refuses it. */
  readonly queryMode?: "extended";
  readonly types?: { readonly getTypeParser: (oid: number) => (text: string) => unknown };
};

/** What `pg` makes of an answer. */
export type Answer = {
  readonly rows: unknown[][];
  readonly rowCount: number | null;
  /** The server's word for what was done: SELECT, INSERT, DECLARE CURSOR … */
  readonly command: string;
  readonly fields: readonly { readonly name: string }[];
};

/** What a client of `pg` sends in its turn by itself, and tells what came of it. */
export type Message = {
  readonly submit: (connection: Pick<Connection, "parse" | "sync">) => void;
  readonly handleError: (error: Error) => void;
  readonly handleReadyForQuery: () => void;
};

/** A question that tells of each row as it comes: `row` with the row, then `end`, or `error`; both with the `Answer` so far. */
export type RowsMessage = Message & EventEmitter;

/** The part of a client of `pg` that is used here. */
export type Client = {
  readonly query: ((question: string | Question) => Promise<Answer>) & ((copy: Writable) => Writable) & ((message: Message) => unknown);
  readonly release: (destroy?: boolean) => void;
  readonly on: (event: "error" | "end", listener: () => void) => unknown;
  /** What the server takes for the right to cancel, told when the session began. */
  readonly processID: number | null;
  readonly secretKey: number | null;
  readonly connection: { readonly stream: Socket };
  /** False while an answer is awaited. */
  readonly readyForQuery: boolean;
};

/** The part of a pool of `pg` that is used here. */
export type Pool = {
  readonly connect: () => Promise<Client>;
  readonly end: () => Promise<void>;
  readonly on: ((event: "connect", listener: (client: Client) => void) => unknown) & ((event: "error", listener: () => void) => unknown);
};

/** What PostgreSQL needs of other people's packages. */
export type Driver = {
  readonly createPool: (options: object) => Pool;
  readonly copyFrom: (statement: string) => Writable;
  readonly rowsOf: (question: Question) => RowsMessage;
};

/** Loads the packages that speak to PostgreSQL, here and not before: a file needs nothing of them. */
export async function loadDriver(): Promise<Driver> {
  const [{ default: pg }, { default: streams }] = await Promise.all([import("pg"), import("pg-copy-streams")]);
  return {
    createPool: (options) => new pg.Pool({ ...options, Client: closingClient(pg.Client) }) as unknown as Pool,
    copyFrom: streams.from,
    rowsOf: (question) => new pg.Query(question as QueryConfig) as unknown as RowsMessage,
  };
}

type Done = (error: Error | null) => void;

/** A client that finds for itself that it cannot log in (no password at hand) would leave its connection to the server open. */
function closingClient(Base: typeof PgClient): typeof PgClient {
  const connect = Base.prototype.connect as (this: PgClient, done: Done) => void;
  class Client extends Base {}
  Client.prototype.connect = function (this: Client, done: Done) {
    connect.call(this, (error) => {
      if (error !== null) void this.end();
      done(error);
    });
  } as never;
  return Client;
}

/** How to try a connection: with TLS by these options, or without (`false`). */
export type Attempt = ConnectionOptions | false;

/**
 * What to try in turn, as `sslmode` asks (as libpq does): `prefer` and `allow` take either, `require` any certificate without
 * `sslrootcert`, `verify-ca` one that an authority vouches for, `verify-full` the host's own.
 * @throws ConfigError when a file cannot be read
 */
export function tlsAttempts(address: ServerAddress): readonly Attempt[] {
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
