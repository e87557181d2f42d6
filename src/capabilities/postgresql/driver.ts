import type { EventEmitter } from "node:events";
import { Socket } from "node:net";
import pg, { type Connection, type QueryConfig } from "pg";
import type { Cell, Value } from "../../core/base/cell.ts";
import { sha256Hex } from "../../core/base/sha256.ts";
import type { Values } from "../../core/db/engine/engine.ts";
import { notExact } from "../../core/db/engine/errors.ts";
import { type Kind, kinds } from "../../core/db/schema/column.ts";
import type { Sql } from "../../core/db/schema/sql/sql.ts";
import { parseParameters } from "../../core/db/schema/sql/sql.ts";
import { connectionLost } from "./postgresql-errors.ts";

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
  readonly handleCommandComplete?: () => void;
};

/** A connection as a message is sent on it. Declaration files leave out what COPY needs. */
export type CopyConnection = Pick<Connection, "parse" | "sync" | "query" | "stream"> & {
  readonly sendCopyFromChunk: (chunk: Buffer) => void;
  readonly endCopyFrom: () => void;
  readonly sendCopyFail: (reason: string) => void;
};

export type Client = {
  readonly query: ((question: string | Question) => Promise<Answer>) & ((message: Message) => unknown);
  readonly release: (destroy?: boolean) => void;
  readonly connection: { readonly stream: Socket };
};

export type Pool = {
  readonly connect: () => Promise<Client>;
  readonly end: () => Promise<void>;
  /** Has `hear` called when a connection is lost that nobody has on loan. */
  readonly onLost: (hear: () => void) => void;
  /** Bytes that came by now while somebody waits for an answer; undefined while nobody does. */
  readonly heard: () => number | undefined;
  /** Cuts all connections, as if the way to the server were gone, and makes no new ones. */
  readonly cut: () => void;
};

/** What those are told that waited for a server which hangs. */
export const silence = (): Error => Object.assign(new Error("the server was silent"), { code: "ETIMEDOUT" });

/** A pool whose connections end without ending the process: those who use one learn of it by their statement. */
export function createPool(options: object): Pool {
  const sockets = new Set<Socket>();
  let isCut = false;
  const stream = (): Socket => {
    const socket = new Socket();
    sockets.add(socket);
    return socket.once("close", () => sockets.delete(socket));
  };
  const pool = new pg.Pool({ ...options, stream, Client: ClosingClient } as pg.PoolConfig);
  pool.on("error", () => {});
  pool.on("connect", (client) => client.on("error", () => {}));
  return {
    connect: async () => (isCut ? Promise.reject(silence()) : ((await pool.connect()) as unknown as Client)),
    end: () => pool.end(),
    onLost: (hear) => void pool.on("error", hear),
    heard: () =>
      pool.totalCount > pool.idleCount ? Array.from(sockets, ({ bytesRead }) => bytesRead).reduce((a, b) => a + b, 0) : undefined,
    cut: () => {
      isCut = true;
      for (const socket of sockets) socket.destroy(silence());
    },
  };
}

/** A question that tells of each row as it comes: `row` with the row, then `end`, or `error`; both with the `Answer` so far. */
export function rowsOf(question: Question): Message & EventEmitter {
  return new pg.Query(question as QueryConfig) as unknown as Message & EventEmitter;
}

type Done = (error: Error | null) => void;

/** What `pg` says, without a code, of a connection that ends while it is being made. */
const ENDED = "Connection terminated unexpectedly";

/** A client that finds for itself that it cannot log in (no password at hand) would leave its connection to the server open. */
class ClosingClient extends pg.Client {}
ClosingClient.prototype.connect = function (this: pg.Client, done: Done) {
  pg.Client.prototype.connect.call(this, ((error: Error | null) => {
    if (error !== null) void this.end();
    done(error?.message === ENDED ? connectionLost(error) : error);
  }) as never);
} as never;

type Compiled = ReturnType<typeof parseParameters> & { isAskedAgain?: boolean };

const compiled = new WeakMap<Sql, Compiled>();

const names = new Map<string, string>();

/**
 * A statement with its values for the server. Each `$n` is declared as the type of its value or kind, since the server takes some
 * for text. It has a name where sessions keep statements (`keepsPlans`), from the second time on: many are asked once.
 */
export function question(statement: Sql, values: Values, keepsPlans: boolean): Question {
  const { texts, parameters, isAskedAgain } = compile(statement);
  const sent: Sent[] = [];
  const places = new Map<string, string>();
  const text = texts.reduce((before, next, i) => {
    const { name, kind } = parameters[i - 1] as Compiled["parameters"][number];
    const value = values[name];
    if (value === undefined) throw new TypeError(`the statement needs :${name}, and it was not given.`);
    const key = `${name} ${kind}`;
    let place = places.get(key);
    if (place === undefined) {
      const cast = castOf(value, kind);
      sent.push(sendValue(value, kind));
      place = cast === undefined ? `$${sent.length}` : `$${sent.length}::${cast}`;
      places.set(key, place);
    }
    return before + place + next;
  });
  return { text, ...(keepsPlans && isAskedAgain && { name: nameOf(text) }), values: sent, rowMode: "array", types };
}

/** By what it says: behind a proxy two processes may share a session, and must not take each other's statements for their own. */
function nameOf(text: string): string {
  const name = names.get(text) ?? `movedex_${sha256Hex(text).slice(0, 32)}`;
  names.set(text, name);
  return name;
}

export function plainQuestion(text: string): Question {
  return { text, rowMode: "array", types };
}

function compile(statement: Sql): Compiled {
  let found = compiled.get(statement);
  if (found !== undefined) found.isAskedAgain = true;
  else {
    found = parseParameters(statement.in("postgresql"));
    compiled.set(statement, found);
  }
  return found;
}

/** What is sent: text that the server reads by the parameter's type, or bytes. */
type Sent = string | Uint8Array | null;

/** The type that a parameter is declared as in the statement; undefined where the server finds it out. */
function castOf(value: Value, kind: Kind | undefined): string | undefined {
  if (kind !== undefined) return kinds[kind].postgresql;
  if (typeof value === "number") return Number.isInteger(value) ? "bigint" : "double precision";
  if (typeof value === "bigint") return "bigint";
  if (typeof value === "boolean") return "boolean";
  return value instanceof Uint8Array ? "bytea" : undefined;
}

function sendValue(value: Value, kind: Kind | undefined): Sent {
  if (value === null || value instanceof Uint8Array) return value;
  if (kind === "time" && typeof value === "number") return new Date(value).toISOString();
  if (kind === "bool" && typeof value === "number") return value === 0 ? "false" : "true";
  if (typeof value === "number" && Number.isInteger(value) && !Number.isSafeInteger(value)) throw notExact(value);
  return String(value);
}

const asInteger = (text: string): Cell => {
  const number = Number(text);
  return Number.isSafeInteger(number) ? number : BigInt(text);
};

type Reader = (text: string) => Cell;

/**
 * What reads the text of a cell, by the numbers of the types in pg_type; of any other type it stays a text. Times come in UTC and bytes in
 * hex, as the session is set.
 */
export function readersOf(integer: Reader, time: Reader, others: Readonly<Record<number, Reader>> = {}): (type: number) => Reader {
  const readers: Readonly<Record<number, Reader>> = {
    16: (text) => integer(text === "t" ? "1" : "0"),
    17: (text) => Buffer.from(text.slice(2), "hex"),
    ...Object.fromEntries([20, 21, 23, 26].map((type) => [type, integer])),
    ...Object.fromEntries([700, 701].map((type) => [type, Number])),
    1184: time,
    ...others,
  };
  return (type) => readers[type] ?? String;
}

/** Fields of a row are read by the type that the server says they are of. */
const types = { getTypeParser: readersOf(asInteger, (text) => Date.parse(`${text.slice(0, 10)}T${text.slice(11, -3)}Z`)) };
