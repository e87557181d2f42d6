import { on } from "node:events";
import type { Cell } from "../../core/base/cell.ts";
import { LEDGER_VERSION_MAX } from "../../core/base/numbers.ts";
import { printable } from "../../core/base/printable.ts";
import { formatDuration } from "../../core/base/time.ts";
import { placeError, StoreError } from "../../core/db/engine/errors.ts";
import { assertGiven, type QueryOptions, type QueryResult, type SqlParameters, type SqlSession } from "../../core/db/engine/sql-session.ts";
import { parsePlaceholders } from "../../core/db/schema/sql/sql.ts";
import { readAddress } from "./address.ts";
import { ask, connect, lend, rollBack } from "./connections.ts";
import { type Answer, type Client, type Question, readersOf, rowsOf } from "./driver.ts";
import { openPostgres } from "./open-server.ts";
import { failureCode, translatePostgresError } from "./postgresql-errors.ts";
import { localSettings, sessionSettings } from "./settings.ts";

/** Rows, behind the names of their columns. */
type Rows = AsyncGenerator<readonly Cell[], undefined>;

/** The user's statement, sent so that the server takes it for one statement or refuses it. `textAt` marks a parameter that is a text. */
export function toQuestion(sql: string, parameters: SqlParameters, textAt: (place: string) => string): Question {
  const how = { rowMode: "array", queryMode: "extended", types } as const;
  if (Array.isArray(parameters)) return { text: sql, values: parameters.map(toSent), ...how };
  assertGiven(sql, parameters);
  const named = parameters as Readonly<Record<string, Cell>>;
  const { texts, names } = parsePlaceholders(sql);
  const places = [...new Set(names)];
  // Texts are compared byte by byte, as all of movedex's columns are. What else a value is the server finds out by where it stands.
  const text = texts.reduce((before, next, i) => {
    const name = names[i - 1] as string;
    const place = `$${places.indexOf(name) + 1}`;
    return before + (typeof named[name] === "string" ? textAt(place) : place) + next;
  });
  return { text, values: places.map((name) => toSent(named[name] as Cell)), ...how };
}

/** A time in UTC, as the session has it, as SQLite's views print one: `2026-01-31 12:00:00.5+00` is 2026-01-31T12:00:00.500Z. */
function isoTime(text: string): string {
  const [, day, second, fraction = ""] = /^(\d+-\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.(\d+))?\+00$/.exec(text) ?? [];
  return day === undefined ? text : `${day}T${second}.${fraction.padEnd(3, "0")}Z`;
}

function toSent(value: Cell): string | Uint8Array | null {
  return value === null || value instanceof Uint8Array ? value : String(value);
}

/** Values as those of SQLite are, so that an answer does not depend on the engine. */
const types = {
  getTypeParser: readersOf(BigInt, isoTime, {
    1700: (text) => {
      if (!/^-?\d+$/.test(text)) return Number(text);
      const value = BigInt(text);
      return value > LEDGER_VERSION_MAX ? text : value;
    },
  }),
};

const CONNECTIONS = 4;
const NO_SUCH_OPERATOR = "42883";

/**
 * Opens a PostgreSQL database for SQL: each statement runs in a read-only transaction, once the server's parser has found that it reads.
 * What its functions may do is for the role's rights. @throws StoreError
 */
export async function openPostgresQuery(address: string, options: QueryOptions): Promise<SqlSession> {
  const { timeoutMs } = options;
  const server = readAddress(address);
  const { label, isPooled, schema } = server;
  await (await openPostgres(address, { mode: "read", connections: 1 })).close();
  const pool = await connect(server, { connections: CONNECTIONS });
  const settings = { ...(isPooled && sessionSettings(schema, {})), statement_timeout: Math.ceil(timeoutMs ?? 0) };
  const begin = `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY${localSettings(settings)}`;
  const open = new Set<Rows>();

  async function* answer(question: Question, end: () => void): Rows {
    let isLeft = true;
    const client = await lend(pool).catch((error: unknown) => {
      end();
      throw asQuery(error, label, timeoutMs);
    });
    try {
      // The server ends a statement whose asker is gone, where its system can tell.
      if (!isPooled) await ask(client, "SET client_connection_check_interval = 1000").catch(() => undefined);
      await ask(client, begin);
      await assertReadsOnly(client, question.text);
      yield* streamRows(client, question);
      isLeft = false;
    } catch (error) {
      isLeft = false;
      throw asQuery(error, label, timeoutMs);
    } finally {
      end();
      client.release(isLeft || !(await rollBack(client)));
    }
  }
  const begun = async (question: Question): Promise<QueryResult> => {
    const rows: Rows = answer(question, () => open.delete(rows));
    open.add(rows);
    const { value } = await rows.next();
    return { columns: value as string[], rows };
  };
  const query: SqlSession["query"] = async (sql, parameters = []) => {
    const begin = (textAt: (place: string) => string) => begun(toQuestion(sql, parameters, textAt));
    try {
      return await begin((place) => `(${place}::text COLLATE "C")`);
    } catch (error) {
      if (failureCode((error as Error).cause) !== NO_SUCH_OPERATOR)
        throw (await import("../../core/db/engine/query-failures.ts")).rewordFailure(error, sql);
      // A text beside a time, as in `created_at > :since`: the server takes it for one where it is not told what it is.
      return await begin((place) => place).catch(() => {
        throw error;
      });
    }
  };

  return {
    query,
    close: async () => {
      for (const rows of open) await rows.return(undefined);
      await pool.end();
    },
  };
}

/**
 * Has the server's parser check a text: behind these words it takes one statement that reads, and nothing else. Neither they nor the
 * statement are planned or run. A cursor itself would never use more than one of the server's cores.
 */
function assertReadsOnly(client: Client, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    void client.query({
      submit: (connection) => {
        connection.parse({ name: "", text: `DECLARE checked NO SCROLL CURSOR FOR ${text}`, types: [] }, false);
        connection.sync();
      },
      handleError: reject,
      handleReadyForQuery: resolve,
    });
  });
}

/** A statement's rows as the server sends them. While nobody takes them, the server waits. */
async function* streamRows(client: Client, question: Question): Rows {
  const { stream } = client.connection;
  const described = Promise.withResolvers<string[]>();
  const describe = ({ fields }: Answer): void => described.resolve(fields.map(({ name }) => name));
  // `on` leaves the socket paused at the end. Heard by nobody, an error would end the process: those who stop early hear of none.
  const end = (): void => void stream.resume();
  const message = Object.assign(rowsOf(question), { pause: () => stream.pause(), resume: () => stream.resume() });
  const rows = on(message, "row", { close: ["end"], highWaterMark: 1 });
  message.once("row", (_row, answer) => describe(answer));
  message.once("end", describe).once("end", end).on("error", end);
  void client.query(message);
  const first = await rows.next();
  yield await described.promise;
  if (first.done !== true) yield first.value[0];
  for await (const [row] of rows) yield row;
}

/** An error in the user's SQL keeps the server's words. Failures of the server or the connection are translated as everywhere. */
function asQuery(error: unknown, label: string, timeoutMs: number | undefined): unknown {
  if (error instanceof StoreError) return error;
  const code = failureCode(error);
  if (code === "57014" && timeoutMs !== undefined) {
    const text = `the query took longer than ${formatDuration(timeoutMs)} and was stopped. Narrow it, or allow more with --timeout.`;
    return placeError(label, "MOVEDEX_STORE_TIMEOUT", text, {}, error);
  }
  if (code === undefined || !USERS.test(code)) return translatePostgresError(error, "read the database", label);
  return new StoreError("MOVEDEX_STORE_QUERY", `the query failed: ${printable((error as Error).message, 1000)}`, { cause: error });
}

/**
 * Classes of SQLSTATE that speak of the statement: not supported, wrong values, changes where only reading is allowed, syntax, names
 * and rights, its size. The server raises XX000, an internal error, when a statement asks for more than 1 GB in one allocation.
 */
const USERS = /^(?:08P01|0A|21|22|25006|42|26|34|2F|54|55000|53400|XX000)/;
