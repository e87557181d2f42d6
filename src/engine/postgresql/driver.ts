import type { EventEmitter } from "node:events";
import type { Socket } from "node:net";
import pg, { type Connection, type QueryConfig } from "pg";

/** A question to PostgreSQL: its values as text (or bytes), its rows as lists. */
export type Question = {
  readonly text: string;
  /** By which the session keeps the statement and its plan; without one it is parsed and planned each time. */
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
  readonly fields: readonly { readonly name: string }[];
};

/** What a client of `pg` sends in its turn by itself, and tells what came of it. */
type Message = {
  readonly submit: (connection: CopyConnection) => void;
  readonly handleError: (error: Error) => void;
  readonly handleReadyForQuery: () => void;
  readonly handleCopyInResponse?: () => void;
  readonly handleCommandComplete?: (message: { readonly text: string }) => void;
};

/** A connection as a message is sent on it. Declaration files leave out what COPY needs. */
export type CopyConnection = Pick<Connection, "parse" | "sync" | "query" | "stream"> & {
  readonly sendCopyFromChunk: (chunk: Buffer) => void;
  readonly endCopyFrom: () => void;
  readonly sendCopyFail: (reason: string) => void;
};

/** The part of a client of `pg` that is used here. */
export type Client = {
  readonly query: ((question: string | Question) => Promise<Answer>) & ((message: Message) => unknown);
  readonly release: (destroy?: boolean) => void;
  readonly connection: { readonly stream: Socket };
};

/** The part of a pool of `pg` that is used here. */
export type Pool = { readonly connect: () => Promise<Client>; readonly end: () => Promise<void> };

/** A pool whose connections end without ending the process: those who use one learn of it by their statement. */
export function createPool(options: object): Pool {
  const pool = new pg.Pool({ ...options, Client: ClosingClient });
  pool.on("error", () => {});
  pool.on("connect", (client) => client.on("error", () => {}));
  return pool as unknown as Pool;
}

/** A question that tells of each row as it comes: `row` with the row, then `end`, or `error`; both with the `Answer` so far. */
export function rowsOf(question: Question): Message & EventEmitter {
  return new pg.Query(question as QueryConfig) as unknown as Message & EventEmitter;
}

type Done = (error: Error | null) => void;

/** A client that finds for itself that it cannot log in (no password at hand) would leave its connection to the server open. */
class ClosingClient extends pg.Client {}
ClosingClient.prototype.connect = function (this: pg.Client, done: Done) {
  pg.Client.prototype.connect.call(this, ((error: Error | null) => {
    if (error !== null) void this.end();
    done(error);
  }) as never);
} as never;
