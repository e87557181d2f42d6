import type { Database } from "better-sqlite3";
import type { Session } from "../engine.ts";
import { addChecksumFunction } from "./row-checksum.ts";
import { translateSqliteError } from "./sqlite-errors.ts";
import { type Statements, sqliteStatements } from "./statements.ts";

/** The questions of an engine on a connection as it is, in whatever transaction its owner began. */
export function sqliteSession(database: Database, path: string, statements: Statements = sqliteStatements(database)): Session {
  addChecksumFunction(database);
  const translated = async <T>(work: () => T): Promise<T> => {
    try {
      return work();
    } catch (error) {
      throw translateSqliteError(error, "read or write the database", path);
    }
  };
  return {
    all: (statement, values = {}) => translated(() => statements.all(statement, values)) as Promise<never[]>,
    first: (statement, values = {}) => translated(() => statements.first(statement, values)) as Promise<never>,
    run: (statement, values = {}) => translated(() => statements.run(statement, values)),
    stream: async function* (select, values = {}) {
      try {
        yield* statements.stream<never>(select, values);
      } catch (error) {
        throw translateSqliteError(error, "read the database", path);
      }
    },
  };
}
