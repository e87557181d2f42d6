import type { Database, Statement } from "better-sqlite3";
import type { Cell } from "../../../base/cell.ts";
import { printable } from "../../../base/printable.ts";
import { StoreError } from "../errors.ts";
import { assertGiven, NO_QUERY, type QueryResult, type SqlParameters, type SqlSession } from "../sql-session.ts";
import { openWithoutLock } from "./open-sqlite.ts";
import { translateSqliteError } from "./sqlite-errors.ts";

/** What a statement has to stand behind, without ever being run: SQLite's parser takes a query there, and no PRAGMA, EXPLAIN or ATTACH. */
const JUDGE = "CREATE TEMP TABLE movedex_judged AS ";

/** The PRAGMAs that a query may read as tables: they tell of the schema, the others of the machine and of the connection. */
const SCHEMA_PRAGMAS = /^pragma_(?:table|index|foreign_key|function|module|collation)_(?:x?info|list)$/i;
/** A name is written whole in a statement, however it is quoted, so this finds each of them, and some that are none. */
const PRAGMA_NAMES = /pragma_\w*/gi;

/** Opens a file for a user's own SQL. @throws StoreError */
export async function openSqliteQuery(path: string): Promise<SqlSession> {
  const { database, close } = await openWithoutLock(path, { mode: "read" });
  // Sorting may use a second core: to count millions of rows by a text then takes a quarter less time.
  database.pragma("threads = 1");
  // It would give an address in this process's memory, or take one for a function.
  for (const refuse of [(_name: unknown) => refused(), (_name: unknown, _address: unknown) => refused()])
    database.function("fts3_tokenizer", refuse);
  return {
    query: async (sql, parameters = [], isPlan = false) => {
      try {
        return begin(database, path, sql, parameters, isPlan);
      } catch (error) {
        throw (await import("../query-failures.ts")).rewordFailure(error, sql);
      }
    },
    close: async () => close(),
  };
}

function refused(): never {
  throw new StoreError("MOVEDEX_STORE_QUERY", "the query failed: fts3_tokenizer may not be called");
}

function begin(database: Database, path: string, sql: string, parameters: SqlParameters, isPlan: boolean): QueryResult {
  try {
    assertReadsOnly(database, sql);
    const reading = prepareReading(database, sql);
    // Judged by itself before: here it stands behind words that only tell of it.
    const statement = isPlan ? prepareReading(database, `EXPLAIN QUERY PLAN ${sql}`) : reading;
    assertGiven(sql, parameters);
    const rows = readRows(path, statement, parameters);
    if (isPlan) return { columns: ["QUERY PLAN"], rows: planLines(rows) };
    return { columns: statement.columns().map(({ name }) => name), rows };
  } catch (error) {
    throw asQuery(path, error);
  }
}

/** The steps of a plan, each below the one that it belongs to, by two spaces. Source: sqlite.org/eqp.html. */
async function* planLines(rows: AsyncIterable<readonly Cell[]>): AsyncGenerator<readonly Cell[]> {
  const depths = new Map<Cell, number>();
  for await (const [id = null, parent = null, , detail] of rows) {
    const depth = (depths.get(parent) ?? -1) + 1;
    depths.set(id, depth);
    yield [`${"  ".repeat(depth)}${String(detail)}`];
  }
}

function assertReadsOnly(database: Database, sql: string): void {
  // SQLite would take what stands before it for the whole.
  if (sql.includes("\0")) throw new StoreError("MOVEDEX_STORE_QUERY", "the query failed: it holds a NUL");
  // Says what is wrong with the statement itself, before what it is not.
  try {
    database.prepare(sql);
  } catch (error) {
    if (WRITES.test((error as Error).message)) throw new StoreError("MOVEDEX_STORE_QUERY", NO_QUERY, { cause: error });
    throw error;
  }
  const pragma = (sql.match(PRAGMA_NAMES) ?? []).find((name) => !SCHEMA_PRAGMAS.test(name));
  if (pragma !== undefined) throw new StoreError("MOVEDEX_STORE_QUERY", `the query failed: ${printable(pragma, 80)} may not be read`);
  try {
    database.prepare(JUDGE + sql);
  } catch (error) {
    throw new StoreError("MOVEDEX_STORE_QUERY", NO_QUERY, { cause: error });
  }
}

/** What SQLite says of a statement that would write, without a code of its own for it. */
const WRITES = /^cannot modify /;

function prepareReading(database: Database, sql: string): Statement<unknown[], Cell[]> {
  const statement = database.prepare<unknown[], Cell[]>(sql);
  if (!statement.reader || !statement.readonly) throw new StoreError("MOVEDEX_STORE_QUERY", NO_QUERY);
  return statement.raw(true).safeIntegers(true);
}

async function* readRows(path: string, statement: Statement<unknown[], Cell[]>, values: SqlParameters): AsyncGenerator<readonly Cell[]> {
  try {
    for (const row of statement.iterate(...(Array.isArray(values) ? values : [values]))) yield row;
  } catch (error) {
    throw asQuery(path, error);
  }
}

/** An error in the user's SQL is shown in SQLite's words; a failure of the file is translated as everywhere else. */
function asQuery(path: string, error: unknown): unknown {
  const translated = translateSqliteError(error, "read the database", path);
  if (translated instanceof StoreError && translated.code !== "MOVEDEX_STORE_UNEXPECTED") return translated;
  if (!(error instanceof Error) || error instanceof StoreError) return error;
  const words = UNBOUND.test(error.message)
    ? "there is no value for a parameter. Write it as `:name`, and give it one: `query --param name=…`"
    : printable(error.message, 1000);
  return new StoreError("MOVEDEX_STORE_QUERY", `the query failed: ${words}`, { cause: error });
}

/** How better-sqlite3 says that a `?`, `$name` or `@name` has no value. */
const UNBOUND = /^(?:Too few parameter|Missing named parameter)/;
