import type { Database } from "better-sqlite3";
import { kinds } from "../../schema/kinds.ts";
import { named, type Sql, sql } from "../../schema/sql/sql.ts";
import { sqliteDialect } from "../../schema/sql/sqlite-dialect.ts";
import type { BulkTable, Values } from "../engine.ts";
import type { Statements } from "./statements.ts";

/** The temporary tables of a connection. What a transaction made is dropped at its end; a roll-back takes it away by itself. */
export type Temporary = {
  readonly make: (table: BulkTable) => void;
  readonly stageSelect: (name: string, select: Sql, values: Values) => void;
  readonly drop: () => void;
  readonly forget: () => void;
};

/** Makes and drops the temporary tables of a connection. */
export function sqliteTemporary(database: Database, statements: Statements): Temporary {
  const made = new Set<string>();
  return {
    make: (table) => {
      const columns = Object.entries(table.columns).map(([name, { kind }]) => `${named(name).in(sqliteDialect)} ${kinds[kind].sqlite}`);
      database.exec(`CREATE TEMP TABLE ${named(table.name).in(sqliteDialect)} (${columns.join(", ")}) STRICT`);
      made.add(table.name);
    },
    stageSelect: (name, select, values) => {
      statements.run(sql`CREATE TEMP TABLE ${named(name)} AS ${select}`, values);
      made.add(name);
    },
    drop: () => {
      for (const name of made) database.exec(`DROP TABLE temp.${name}`);
      made.clear();
    },
    forget: () => made.clear(),
  };
}
