import Database from "better-sqlite3";
import { hasFewViews, makeAllViews } from "./few-views.ts";

/** Rows of a question to a database's file, as objects, through a connection of its own. */
export function rowsOf<Row = unknown>(path: string, sql: string): Row[] {
  return asked(path, (database) => database.prepare<[], Row>(sql).all());
}

/** The same, each row as a list. */
export function listsOf<Row = unknown>(path: string, sql: string): Row[] {
  return asked(path, (database) => database.prepare(sql).raw().all() as Row[]);
}

/** The first cells of the rows. */
export function valuesOf<Cell = unknown>(path: string, sql: string): Cell[] {
  return asked(path, (database) => database.prepare(sql).pluck().all() as Cell[]);
}

/**
 * Changes a database's file by hand, as somebody else's program would; references between rows are not checked.
 *
 * @returns how many rows the last of the statements changed
 */
export function changeFile(path: string, ...statements: readonly string[]): number {
  const database = new Database(path);
  try {
    database.pragma("foreign_keys = OFF");
    for (const statement of statements) database.exec(statement);
    return database.prepare("SELECT changes()").pluck().get() as number;
  } finally {
    database.close();
  }
}

/** Of a database that was left few views a question may want the others. */
export function asked<T>(path: string, ask: (database: Database.Database) => T): T {
  const database = new Database(path, { readonly: true });
  try {
    return ask(database);
  } catch (error) {
    if (!(error as Error).message.startsWith("no such table: ") || !hasFewViews(database)) throw error;
  } finally {
    database.close();
  }
  makeAllViews(path);
  return asked(path, ask);
}
