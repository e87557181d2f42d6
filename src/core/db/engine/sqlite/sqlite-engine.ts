import type Database from "better-sqlite3";
import { limitConcurrency } from "../../../base/async.ts";
import type { Sql } from "../../schema/sql/sql.ts";
import type { WhenBusy } from "../database.ts";
import type { Engine, Row, Values } from "../engine.ts";
import { assertOutside, guardTransaction, runInside } from "../scope.ts";
import { sqliteBulk } from "./bulk.ts";
import { BUSY_TIMEOUT_MS, openFile } from "./open-file.ts";
import { patiently, translateSqliteError } from "./sqlite-errors.ts";
import { sqliteSession } from "./statements.ts";

/**
 * An engine on an open SQLite connection, which stays open for its owner when the engine is closed. Statements are done at once; promises
 * only stand where others wait for their turn, since a connection has one transaction at a time. A stream outside of a transaction reads
 * through a connection of its own, which is closed with the engine.
 */
export function sqliteEngine(database: Database.Database, path: string, whenBusy?: WhenBusy): Engine {
  const oneAtATime = limitConcurrency(1);
  const session = sqliteSession(database, path);
  const bare = { ...session, bulkAll: sqliteBulk(database) };
  const translate = (error: unknown) => translateSqliteError(error, "read or write the database", path);
  const alone = async <T>(work: () => Promise<T>): Promise<T> => {
    assertOutside(engine);
    try {
      return await oneAtATime(() => patiently(work, whenBusy));
    } catch (error) {
      throw translate(error);
    }
  };

  // Kept for the next stream: a new connection reads the text of every view before it answers.
  let idle: Database.Database | undefined;
  async function* streamOnOwnConnection<R extends Row>(select: Sql<R>, values?: Values): AsyncGenerator<R[]> {
    const own = idle ?? openFile(path, "database", { readonly: true, fileMustExist: true, timeout: BUSY_TIMEOUT_MS });
    idle = undefined;
    try {
      yield* sqliteSession(own, path).stream(select, values);
    } finally {
      if (idle === undefined && database.open) idle = own;
      else own.close();
    }
  }

  const engine: Engine = {
    gatherMs: 100,
    all: (statement, values) => alone(() => session.all(statement, values)),
    first: (statement, values) => alone(() => session.first(statement, values)),
    run: (statement, values) => alone(() => session.run(statement, values)),
    stream: (select, values) => streamOnOwnConnection(select, values),
    transaction: (work, { mode = "write" } = {}) =>
      alone(async () => {
        database.exec(mode === "write" ? "BEGIN IMMEDIATE" : "PRAGMA query_only = ON; BEGIN");
        const { guarded, staged, check, end, rolledBack } = guardTransaction(bare, translate);
        try {
          const result = await runInside(engine, () => work(guarded));
          check();
          for (const name of staged) database.exec(`DROP TABLE temp.${name}`);
          database.exec("COMMIT");
          return result;
        } catch (error) {
          // A full disk, for one, has rolled back by itself already.
          if (database.inTransaction) database.exec("ROLLBACK");
          rolledBack();
          throw error;
        } finally {
          end();
          if (mode === "read") database.exec("PRAGMA query_only = OFF");
        }
      }),
    close: async () => void idle?.close(),
  };
  return engine;
}
