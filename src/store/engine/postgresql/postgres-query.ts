import { readAddress } from "../../../base/postgresql-address.ts";
import { printable } from "../../../base/printable.ts";
import { formatDuration } from "../../../base/time/duration.ts";
import { LEDGER_VERSION_MAX } from "../../../base/u64.ts";
import { parsePlaceholders } from "../../../schema/sql/parameters.ts";
import { StoreError } from "../../errors.ts";
import { FIRST_UNFINISHED, type QueryDoor, type QueryResult, type SqlParameters, type SqlValue, UNDERIVED } from "../../read/query-door.ts";
import { type Connections, connect } from "./connections.ts";
import { type Answer, type Client, loadDriver, type Question } from "./driver.ts";
import { openPostgres } from "./open-postgres.ts";
import { failureCode, translatePostgresError } from "./postgresql-errors.ts";
import { localSettings } from "./settings.ts";

/** Connections of one door: a question whose rows are being read keeps one. */
const CONNECTIONS = 4;
/** How long to wait for a lock that another session's change of the tables holds, in milliseconds. */
const LOCK_TIMEOUT_MS = 10_000;
/** Rows that are asked for at a time. */
const LIST = 1_000;

/** What a server can read by a cursor, and so piece by piece. */
const CURSOR = /^\s*(?:select|values|with|table)\b/i;
/** Other statements that give rows and change nothing; their answers are short. */
const SHORT = /^\s*(?:explain|show)\b/i;
/** The SQLSTATE of an operator or function that there is not for these types. */
const NO_SUCH_OPERATOR = "42883";
/** Comments and brackets before the first word. */
const BEFORE = /^(?:\s|\(|--[^\n]*\n|\/\*[\s\S]*?\*\/)+/;

/**
 * Opens a PostgreSQL database for the user's own SQL. Each question is a transaction that may only read, in the state of one
 * moment, and is stopped by the server when it takes too long.
 *
 * @throws StoreError
 */
export async function openPostgresQuery(address: string, timeoutMs: number | undefined): Promise<QueryDoor> {
  const server = readAddress(address, {});
  await (await openPostgres(address, { mode: "read", now: () => 0, connections: 1 })).close();
  const connections = await connect(await loadDriver(server.label), server, { connections: CONNECTIONS });
  const begin =
    `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; ${localSettings(server.schema, LOCK_TIMEOUT_MS, 0)}` +
    (timeoutMs === undefined ? "" : `; SET LOCAL statement_timeout = ${Math.ceil(timeoutMs)}`);

  const open = new Set<Lists>();

  async function* ask(question: Question): Lists {
    const client = await lend(connections, server.label);
    try {
      await client.query(begin);
      yield* answers(client, question);
    } catch (error) {
      throw asQuery(error, server.label, timeoutMs);
    } finally {
      const isOver = await client.query("ROLLBACK").then(
        () => true,
        () => false,
      );
      client.release(!isOver);
    }
  }
  async function* walk(first: readonly SqlValue[][], lists: Lists): AsyncGenerator<readonly SqlValue[]> {
    try {
      yield* first;
      for await (const { rows } of lists) yield* rows;
    } finally {
      await lists.return(undefined);
      open.delete(lists);
    }
  }
  const query = async (sql: string, parameters: SqlParameters = []): Promise<QueryResult> => {
    try {
      return await begun(toQuestion(sql, parameters, (place) => `(${place}::text COLLATE "C")`));
    } catch (error) {
      if (failureCode((error as Error).cause) !== NO_SUCH_OPERATOR) throw error;
      // A text beside a time, as in `created_at > :since`: the server takes it for one where it is not told what it is.
      return await begun(toQuestion(sql, parameters, (place) => place)).catch(() => {
        throw error;
      });
    }
  };
  const begun = async (question: Question): Promise<QueryResult> => {
    const lists = ask(question);
    open.add(lists);
    const { columns, rows } = (await lists.next()).value as List;
    return { columns, rows: walk(rows, lists) };
  };

  const answer = async (sql: string) => (await Array.fromAsync((await query(sql)).rows))[0]?.[0];

  return {
    query,
    isFirstUnfinished: async () => (await answer(FIRST_UNFINISHED)) === 1n,
    underived: async () => Number(await answer(UNDERIVED)),
    close: async () => {
      for (const lists of open) await lists.return(undefined);
      await connections.close();
    },
  };
}

type List = { readonly columns: readonly string[]; readonly rows: SqlValue[][] };
type Lists = AsyncGenerator<List, undefined>;

async function lend(connections: Connections, label: string): Promise<Client> {
  try {
    return await connections.lend();
  } catch (error) {
    throw translatePostgresError(error, "read the database", label);
  }
}

/** An answer in lists, the first of which is there even when it has no rows. */
async function* answers(client: Client, question: Question): Lists {
  const { text } = question;
  const words = text.replace(BEFORE, "");
  if (SHORT.test(words)) {
    yield listOf(await client.query(question));
    return;
  }
  if (!CURSOR.test(words)) {
    throw new StoreError("MOVEDEX_STORE_QUERY", "wanted one statement that reads and gives rows, such as SELECT; nothing was done");
  }
  await client.query({ ...question, text: `DECLARE answer NO SCROLL CURSOR FOR ${text}` });
  for (;;) {
    const list = listOf(await client.query({ ...question, text: `FETCH ${LIST} FROM answer`, values: [] }));
    yield list;
    if (list.rows.length < LIST) return;
  }
}

function listOf({ fields, rows }: Answer): List {
  return { columns: fields.map(({ name }) => name), rows: rows as SqlValue[][] };
}

/**
 * The user's statement. Always one: what is sent in this way the server takes for a single statement or refuses. `textAt` says of a
 * parameter by name that it is a text.
 */
function toQuestion(sql: string, parameters: SqlParameters, textAt: (place: string) => string): Question {
  const how = { rowMode: "array", queryMode: "extended", types: { getTypeParser: readerOf } } as const;
  if (Array.isArray(parameters)) return { text: sql, values: parameters.map(toSent), ...how };
  const named = parameters as Readonly<Record<string, SqlValue>>;
  const { texts, names } = parsePlaceholders(sql);
  const places = [...new Set(names)];
  const missing = places.find((name) => named[name] === undefined);
  if (missing !== undefined) {
    throw new StoreError("MOVEDEX_STORE_QUERY", `the query failed: it names :${printable(missing, 80)}, and no value was given for it`);
  }
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

/** An error in the user's SQL is shown in the server's words; a failure of the server or of the way to it is translated as everywhere else. */
function asQuery(error: unknown, label: string, timeoutMs: number | undefined): unknown {
  if (error instanceof StoreError) return error;
  const code = failureCode(error);
  if (code === "57014" && timeoutMs !== undefined) {
    const text = `the query took longer than ${formatDuration(timeoutMs)} and was stopped. Narrow it, or allow more with --timeout.`;
    return new StoreError("MOVEDEX_STORE_TIMEOUT", text, { facts: { path: label }, cause: error });
  }
  if (code === undefined || !USERS.test(code) || code === "42501") return translatePostgresError(error, "read the database", label);
  return new StoreError("MOVEDEX_STORE_QUERY", `the query failed: ${printable((error as Error).message, 1000)}`, { cause: error });
}

/** Classes of SQLSTATE that speak of the statement: not supported, wrong values, changes where only reading is allowed, syntax and names, other objects. */
const USERS = /^(?:08P01|0A|22|25006|42|26|34|2F|54)/;
