import { formatBytes } from "../../../base/byte-count.ts";
import { printable } from "../../../base/printable.ts";
import { formatDuration } from "../../../base/time/duration.ts";
import { placeError, StoreError } from "../../errors.ts";
import { EMPTINESS, type Emptiness, type QueryDoor, type QueryOptions, type QueryResult, UNDERIVED } from "../../query-door.ts";
import { readAddress } from "../address.ts";
import { ask, connect, lend, rollBack } from "../connections.ts";
import type { Question } from "../driver.ts";
import { openPostgres } from "../open-server.ts";
import { failureCode, translatePostgresError } from "../postgresql-errors.ts";
import { localSettings, sessionSettings } from "../settings.ts";
import { assertReadsOnly, LimitExceeded, type QueryLimits, type Rows, streamRows } from "./statement.ts";
import { toQuestion } from "./user-question.ts";

/** Connections of one door: a question whose rows are being read keeps one. */
const CONNECTIONS = 4;
/** Bytes of the server's answers up to a row's end, above which the statement is given up. */
const ROW_BYTES = 256 * 1024 * 1024;
/** The SQLSTATE of an operator or function that there is not for these types. */
const NO_SUCH_OPERATOR = "42883";

/**
 * Opens a PostgreSQL database for SQL: each statement runs in a read-only transaction, once the server's parser has judged that it reads.
 * What its functions may do is for the role's rights. @throws StoreError
 */
export async function openPostgresQuery(address: string, options: QueryOptions): Promise<QueryDoor> {
  const limits: QueryLimits = { timeoutMs: options.timeoutMs, rowBytes: options.rowBytes ?? ROW_BYTES };
  const server = readAddress(address);
  const { label, isPooled, schema } = server;
  await (await openPostgres(address, { mode: "read", connections: 1 })).close();
  const pool = await connect(server, { connections: CONNECTIONS });
  const settings = { ...(isPooled && sessionSettings(schema, {})), statement_timeout: Math.ceil(limits.timeoutMs ?? 0) };
  const begin = `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY${localSettings(settings)}`;
  const open = new Set<Rows>();

  async function* answer(question: Question): Rows {
    let isLeft = true;
    const client = await lend(pool).catch((error: unknown) => {
      throw asQuery(error, label, limits);
    });
    try {
      // The server ends a statement whose asker is gone, where its system can tell.
      if (!isPooled) await ask(client, "SET client_connection_check_interval = 1000").catch(() => undefined);
      await ask(client, begin);
      await assertReadsOnly(client, question.text);
      yield* streamRows(client, question, limits);
      isLeft = false;
    } catch (error) {
      isLeft = false;
      throw asQuery(error, label, limits);
    } finally {
      client.release(isLeft || !(await rollBack(client)));
    }
  }
  const begun = async (question: Question): Promise<QueryResult> => {
    const rows = answer(question);
    open.add(rows);
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
  const one = async (sql: string) => (await Array.fromAsync((await begun(toQuestion(sql, [], String))).rows))[0]?.[0];

  return {
    query,
    emptiness: async () => ((await one(EMPTINESS)) as Emptiness | null) ?? undefined,
    underived: async () => Number(await one(UNDERIVED)),
    close: async () => {
      for (const rows of open) await rows.return(undefined);
      await pool.end();
    },
  };
}

/** An error in the user's SQL keeps the server's words. Failures of the server or the connection are translated as everywhere. */
function asQuery(error: unknown, label: string, { timeoutMs, rowBytes }: QueryLimits): unknown {
  if (error instanceof StoreError) return error;
  const code = failureCode(error);
  const limit = error instanceof LimitExceeded ? error.limit : code === "57014" && timeoutMs !== undefined && "timeoutMs";
  if (limit === "rowBytes") {
    const text = `the answer is too large: one of its rows has more than ${formatBytes(rowBytes)}. Ask for fewer or shorter columns.`;
    return new StoreError("MOVEDEX_STORE_QUERY_SIZE", text, { cause: error });
  }
  if (limit === "timeoutMs") {
    const text = `the query took longer than ${formatDuration(timeoutMs ?? 0)} and was stopped. Narrow it, or allow more with --timeout.`;
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
