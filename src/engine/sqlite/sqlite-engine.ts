import type Database from "better-sqlite3";
import { kinds } from "../../schema/kinds.ts";
import { checkName, named, type Sql, sql } from "../../schema/sql/sql.ts";
import type { BulkTable, Engine, Row, Session, Transaction, Values } from "../engine.ts";
import { assertOutside, guardTransaction, runInside } from "../scope.ts";
import { createSlots } from "../slots.ts";
import { sqliteBulk } from "./bulk.ts";
import { openFile } from "./open-file.ts";
import { BUSY_TIMEOUT_MS } from "./ownership.ts";
import { translateSqliteError } from "./sqlite-errors.ts";
import { sqliteSession } from "./statements.ts";

/**
 * An engine on an open SQLite connection, which stays open for its owner when the engine is closed. Statements are done at once; promises
 * only stand where others wait for their turn, since a connection has one transaction at a time. A stream outside of a transaction reads
 * through a connection of its own.
 */
export function sqliteEngine(database: Database.Database, path: string): Engine {
  const oneAtATime = createSlots(1);
  const session = sqliteSession(database, path);
  const bulk = sqliteBulk(database);
  const temporary = sqliteTemporary(database, session);

  const translated = async <T>(work: () => T | Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      throw translateSqliteError(error, "read or write the database", path);
    }
  };
  const alone = async <T>(work: () => T | Promise<T>): Promise<T> => {
    assertOutside(engine);
    return await oneAtATime.run(() => translated(work));
  };

  const transaction: Transaction = {
    ...session,
    bulk: (table, rows) => translated(() => bulk(table, rows)),
    stage: (table, rows) =>
      translated(() => {
        temporary.make(table);
        return bulk(table, rows);
      }),
    stageSelect: temporary.stageSelect,
  };

  const engine: Engine = {
    dialect: "sqlite",
    all: (statement, values) => alone(() => session.all(statement, values)),
    first: (statement, values) => alone(() => session.first(statement, values)),
    run: (statement, values) => alone(() => session.run(statement, values)),
    stream: (select, values) => streamOnOwnConnection(path, select, values),
    transaction: (work, { mode = "write" } = {}) =>
      alone(async () => {
        database.exec(mode === "write" ? "BEGIN IMMEDIATE" : "PRAGMA query_only = ON; BEGIN");
        const { guarded, check, end } = guardTransaction(transaction);
        try {
          const result = await runInside(engine, () => work(guarded));
          check();
          temporary.drop();
          database.exec("COMMIT");
          return result;
        } catch (error) {
          // A full disk, for one, has rolled back by itself already.
          if (database.inTransaction) database.exec("ROLLBACK");
          temporary.forget();
          throw error;
        } finally {
          end();
          if (mode === "read") database.exec("PRAGMA query_only = OFF");
        }
      }),
    close: async () => {},
  };
  return engine;
}

async function* streamOnOwnConnection<R extends Row>(path: string, select: Sql, values?: Values): AsyncGenerator<R[]> {
  const database = openFile(path, "database", { readonly: true, fileMustExist: true, timeout: BUSY_TIMEOUT_MS });
  try {
    yield* sqliteSession(database, path).stream<R>(select, values);
  } finally {
    database.close();
  }
}

function sqliteTemporary(database: Database.Database, session: Session) {
  const made = new Set<string>();
  return {
    make: (table: BulkTable): void => {
      const columns = Object.entries(table.columns).map(([name, { kind }]) => `${checkName(name)} ${kinds[kind].sqlite}`);
      database.exec(`CREATE TEMP TABLE ${checkName(table.name)} (${columns.join(", ")}) STRICT`);
      made.add(table.name);
    },
    stageSelect: async (name: string, select: Sql, values?: Values): Promise<void> => {
      await session.run(sql`CREATE TEMP TABLE ${named(name)} AS ${select}`, values);
      made.add(name);
    },
    drop: (): void => {
      for (const name of made) database.exec(`DROP TABLE temp.${name}`);
      made.clear();
    },
    forget: (): void => made.clear(),
  };
}
