import type { Database } from "better-sqlite3";
import { sha256Hex } from "../../base/sha256.ts";
import { relations } from "../../schema/documentation.ts";
import { viewList } from "../../schema/views/views.ts";

const statements = [...viewList.map(({ name, sqlite }) => createView(name, sqlite)), createView("documentation", documentationSelect())];
const digest = sha256Hex(statements.join("\n"));

/**
 * Makes the views, and the view `documentation` that describes them and the tables. Nothing is done when the database
 * has these already.
 */
export function installViews(database: Database): void {
  const installed = database.prepare<[], string | null>("SELECT views_digest FROM archive").pluck().get();
  if (installed === digest) return;
  database
    .transaction(() => {
      // The names come out of the database, which may be anybody's.
      for (const name of new Set([...installedViews(database), ...viewList.map((view) => view.name)]))
        database.exec(`DROP VIEW IF EXISTS "${name.replaceAll('"', '""')}"`);
      for (const statement of statements) database.exec(statement);
      database.prepare("UPDATE archive SET views_digest = ?").run(digest);
    })
    .immediate();
}

/** The views that differ from what this movedex would make of them; none where another movedex made them. */
export function alteredViews(database: Database): string[] {
  const installed = database.prepare<[], string | null>("SELECT views_digest FROM archive").pluck().get();
  if (installed !== digest) return [];
  const stored = database.prepare<[string], string>("SELECT sql FROM sqlite_schema WHERE type = 'view' AND name = ?").pluck();
  return [...viewList.map(({ name }) => name), "documentation"].filter((name, i) => stored.get(name) !== statements[i]);
}

/** The views that some movedex made; people may have made others of their own. */
function installedViews(database: Database): string[] {
  const isThere = database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'documentation'").get() !== undefined;
  if (!isThere) return [];
  const names = database.prepare<[], string>("SELECT DISTINCT relation FROM documentation WHERE kind = 'view'").pluck();
  return ["documentation", ...names.all()];
}

function createView(name: string, select: string): string {
  return `CREATE VIEW ${name} AS ${select}`;
}

function documentationSelect(): string {
  const rows = relations.flatMap(({ columns }) => columns);
  const values = rows.map(
    ({ relation, kind, position, column, type, meaning }) =>
      `(${[quote(relation), quote(kind), position, quote(column), quote(type), quote(meaning)].join(", ")})`,
  );
  return (
    "SELECT column1 AS relation, column2 AS kind, column3 AS position, column4 AS column_name, column5 AS type, column6 AS meaning " +
    `FROM (VALUES ${values.join(", ")})`
  );
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
