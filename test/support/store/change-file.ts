import Database from "better-sqlite3";

/** Changes a database's file behind movedex's back, foreign keys aside. @returns how many rows the last of the statements changed */
export function changeFile(path: string, ...statements: readonly string[]): number {
  const database = new Database(path);
  try {
    database.pragma("foreign_keys = OFF");
    return statements.reduce((_, statement) => {
      database.exec(statement);
      return database.prepare("SELECT changes()").pluck().get() as number;
    }, 0);
  } finally {
    database.close();
  }
}
