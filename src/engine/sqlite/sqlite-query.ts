import { existsSync } from "node:fs";
import type { Database, Statement } from "better-sqlite3";
import { printable } from "../../base/printable.ts";
import { StoreError } from "../errors.ts";
import { FIRST_UNFINISHED, type QueryDoor, type QueryResult, type SqlParameters, type SqlValue, UNDERIVED } from "../query-door.ts";
import { openFile } from "./open-file.ts";
import { BUSY_TIMEOUT_MS, checkOwner, missingDatabase } from "./ownership.ts";
import { guarded, translateSqliteError } from "./sqlite-errors.ts";

/** Opens a file for the user's own SQL. @throws StoreError */
export function openSqliteQuery(path: string): QueryDoor {
  if (!existsSync(path)) throw missingDatabase(path);
  const database = openFile(path, "database", { readonly: true, fileMustExist: true, timeout: BUSY_TIMEOUT_MS });
  try {
    guarded(path, "open the database", () => checkOwner(database, path));
  } catch (error) {
    database.close();
    throw error;
  }
  return {
    query: async (sql, parameters = []) => begin(database, path, sql, parameters),
    isFirstUnfinished: async () => asQuery(path, () => database.prepare<[], number>(FIRST_UNFINISHED).pluck().get() === 1),
    underived: async () => asQuery(path, () => Number(database.prepare<[], number>(UNDERIVED).pluck().get())),
    close: async () => {
      database.close();
    },
  };
}

function begin(database: Database, path: string, sql: string, parameters: SqlParameters): QueryResult {
  const statement = asQuery(path, () => prepareReading(database, sql));
  const columns = statement.columns().map(({ name }) => name);
  return { columns, rows: readRows(path, statement, parameters) };
}

function prepareReading(database: Database, sql: string): Statement<unknown[], SqlValue[]> {
  const statement = database.prepare<unknown[], SqlValue[]>(sql);
  if (!statement.reader || !statement.readonly) {
    throw new StoreError("MOVEDEX_STORE_QUERY", "wanted one statement that reads and gives rows, such as SELECT; nothing was done");
  }
  return statement.raw(true).safeIntegers(true);
}

async function* readRows(
  path: string,
  statement: Statement<unknown[], SqlValue[]>,
  parameters: SqlParameters,
): AsyncGenerator<readonly SqlValue[]> {
  const rows = asQuery(path, () => statement.iterate(...(Array.isArray(parameters) ? parameters : [parameters])));
  try {
    for (;;) {
      const next = asQuery(path, () => rows.next());
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    rows.return?.();
  }
}

/** An error in the user's SQL is shown in SQLite's words; a failure of the file is translated as everywhere else. */
function asQuery<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof StoreError) throw error;
    const translated = translateSqliteError(error, "read the database", path);
    if (translated instanceof StoreError && translated.code !== "MOVEDEX_STORE_UNEXPECTED") throw translated;
    if (!(error instanceof Error)) throw error;
    throw new StoreError("MOVEDEX_STORE_QUERY", `the query failed: ${printable(error.message, 1000)}`, { cause: error });
  }
}
