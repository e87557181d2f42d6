import Database from "better-sqlite3";
import { viewStatements } from "../../../src/core/db/schema/view-statements.ts";

/** The views that the commands of a night and the pages ask, and what these are made from. */
const ASKED = new Set(
  `accounts_inferred changes dependencies_at findings gaps snapshots
  _findings_text _gaps_text _module_steps _probed_module_steps _snapshots_text _version_times _versions`.split(/\s+/),
);

/**
 * Leaves a database the views that a night asks. SQLite reads the text of all views at each connection, which is eight of its nine
 * milliseconds, and a night has ten connections. Movedex believes that the others are there.
 */
export function leaveFewViews(path: string): void {
  using database = opened(path);
  for (const name of viewsOf(database)) if (!ASKED.has(name)) database.exec(`DROP VIEW ${name}`);
}

/** Gives such a database all of them. */
export function makeAllViews(path: string): void {
  using database = opened(path);
  const there = new Set(viewsOf(database));
  database.transaction(() => {
    for (const { name, create } of viewStatements("sqlite")) if (!there.has(name)) database.exec(create);
  })();
}

export function hasFewViews(database: Database.Database): boolean {
  return viewsOf(database).length === ASKED.size;
}

function viewsOf(database: Database.Database): string[] {
  return database.prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'view'").pluck().all();
}

function opened(path: string): Database.Database & Disposable {
  const database = new Database(path);
  return Object.assign(database, { [Symbol.dispose]: () => database.close() });
}
