import { formatBytes } from "../../../base/byte-count.ts";
import type { Cell } from "../../../base/cell.ts";
import { printable } from "../../../base/printable.ts";
import { formatDuration } from "../../../base/time/duration.ts";
import { placeError, StoreError } from "../../errors.ts";
import { EMPTINESS, type Emptiness, type QueryDoor, type QueryOptions, type QueryResult, UNDERIVED } from "../../query-door.ts";
import { readAddress } from "../address.ts";
import { type Connections, connect, rollBack } from "../connections.ts";
import { type Client, loadDriver, type Question } from "../driver.ts";
import { openPostgres } from "../open-postgres.ts";
import { localSettings } from "../postgresql-engine.ts";
import { failureCode, translatePostgresError } from "../postgresql-errors.ts";
import { type Bounded, bounded, type Exceeded } from "./bounded.ts";
import { judge, streamRows } from "./statement.ts";
import { toQuestion } from "./user-question.ts";

/** Connections of one door: a question whose rows are being read keeps one. */
const CONNECTIONS = 4;
/** How long to wait for a lock that another session's change of the tables holds, in milliseconds. */
const LOCK_TIMEOUT_MS = 10_000;
/** Bytes of the server's answers up to a row's end, above which the statement is given up. */
const ROW_BYTES = 256 * 1024 * 1024;
/**
 * How much later than here the server ends a statement by itself, for one whose asker is gone without a word. Its time also runs while
 * it waits for those who read.
 */
const READING_MS = 3_600_000;
/** The SQLSTATE of an operator or function that there is not for these types. */
const NO_SUCH_OPERATOR = "42883";

/**
 * Opens a PostgreSQL database for SQL: each statement runs in a read-only transaction, once the server's parser has judged that it reads.
 * What its functions may do is for the role's rights. @throws StoreError
 */
export async function openPostgresQuery(address: string, options: QueryOptions): Promise<QueryDoor> {
  const { timeoutMs, rowBytes = ROW_BYTES } = options;
  const server = readAddress(address);
  const { label } = server;
  await (await openPostgres(address, { mode: "read", connections: 1 })).close();
  const driver = await loadDriver();
  const connections = await connect(driver, server, { connections: CONNECTIONS });
  const limit = timeoutMs === undefined ? "" : `; SET LOCAL statement_timeout = ${Math.ceil(timeoutMs + READING_MS)}`;
  const begin = `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; ${localSettings(server.schema, LOCK_TIMEOUT_MS, 0)}${limit}`;
  const open = new Map<Bounded, Rows>();

  async function* ask(client: Client, bounds: Bounded, question: Question): Rows {
    let isLeft = true;
    try {
      await client.query(begin);
      bounds.run();
      await judge(client, question.text);
      yield* streamRows(client, driver.rowsOf(question), bounds);
      isLeft = false;
    } catch (error) {
      isLeft = false;
      throw asQuery(error, label, { timeoutMs, rowBytes, exceeded: bounds.exceeded() });
    } finally {
      if (isLeft) bounds.stop();
      bounds.end();
      open.delete(bounds);
      client.release(isLeft || !(await rollBack(client)));
    }
  }
  const begun = async (question: Question): Promise<QueryResult> => {
    const client = await lend(connections, label);
    const bounds = bounded(client, server, rowBytes, timeoutMs);
    const rows = ask(client, bounds, question);
    open.set(bounds, rows);
    const { value } = await rows.next();
    return { columns: value as string[], rows };
  };
  const query: QueryDoor["query"] = async (sql, parameters = []) => {
    const begin = (textAt: (place: string) => string) => begun(toQuestion(sql, parameters, textAt));
    try {
      return await begin((place) => `(${place}::text COLLATE "C")`);
    } catch (error) {
      if (failureCode((error as Error).cause) !== NO_SUCH_OPERATOR)
        throw (await import("../../query-failures.ts")).rewordFailure(error, sql);
      // A text beside a time, as in `created_at > :since`: the server takes it for one where it is not told what it is.
      return await begin((place) => place).catch(() => {
        throw error;
      });
    }
  };
  const answer = async (sql: string) => (await Array.fromAsync((await begun(toQuestion(sql, [], String))).rows))[0]?.[0];

  return {
    query,
    emptiness: async () => ((await answer(EMPTINESS)) as Emptiness | null) ?? undefined,
    underived: async () => Number(await answer(UNDERIVED)),
    close: async () => {
      for (const bounds of open.keys()) bounds.stop();
      for (const rows of open.values()) await rows.return(undefined);
      await connections.close();
    },
  };
}

/** Rows, behind the names of their columns. */
type Rows = AsyncGenerator<readonly Cell[], undefined>;

async function lend(connections: Connections, label: string): Promise<Client> {
  try {
    return await connections.lend();
  } catch (error) {
    throw translatePostgresError(error, "read the database", label);
  }
}

type Bounds = { readonly timeoutMs: number | undefined; readonly rowBytes: number; readonly exceeded: Exceeded | undefined };

/** An error in the user's SQL keeps the server's words. Failures of the server or the connection are translated as everywhere. */
function asQuery(error: unknown, label: string, { timeoutMs, rowBytes, exceeded }: Bounds): unknown {
  if (error instanceof StoreError) return error;
  const code = failureCode(error);
  if (exceeded === "bytes") {
    const text = `the answer is too large: one of its rows has more than ${formatBytes(rowBytes)}. Ask for fewer or shorter columns.`;
    return new StoreError("MOVEDEX_STORE_QUERY_SIZE", text, { cause: error });
  }
  if (timeoutMs !== undefined && (exceeded === "time" || code === "57014")) {
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
