import Database from "better-sqlite3";
import { printable } from "../../../base/printable.ts";
import { sha256Hex } from "../../../base/sha256.ts";
import { secondaryIndexes } from "../../../schema/derived-indexes.ts";
import { TABLES_DIGEST } from "../../../schema/digests.ts";
import { tableList } from "../../../schema/tables/tables.ts";
import { damagedFile } from "../../errors.ts";
import { readMigrations } from "../../migrations.ts";
import { MIGRATIONS, readSchemaState, runMigrations } from "./migrate.ts";

const loose: ReadonlySet<string> = new Set(secondaryIndexes.map(({ name }) => name));

/** An object of a database's schema that should not be there, or is not as movedex made it. */
export type SchemaDamage = Pick<SchemaObject, "type" | "name"> & { readonly table: string; readonly problem: string };

type SchemaObject = { readonly type: string; readonly name: string; readonly tbl_name: string; readonly sql: string | null };

/** An object that movedex makes; of a table also its columns. */
type Expected = SchemaObject & { readonly columns: string };

const INTERNAL = /^sqlite_(?:stat[134]|sequence|autoindex_.*)$/;

/** The word index of the first migration's tables; the number in its column counted the ways in which words were made. */
const SEARCH_INDEX = /^(CREATE VIRTUAL TABLE search_index USING fts5\()words_\d+(, content='', detail=none, columnsize=0\))$/;

/** It and its parts, which a database may lack; the second migration drops them. */
const DERIVED = /^search_index(?:_\w+)?$/;

const FIRST_SEARCH_INDEX = "CREATE VIRTUAL TABLE search_index USING fts5(words_0, content='', detail=none, columnsize=0)";

/**
 * Compares the tables, indexes and triggers of a database with those that its `applied` migrations make. A table's text has its checks,
 * defaults, references and generated columns, so nothing can hide in them. Views are left to `alteredViews`: people may add their own. Call
 * it before anything else reads the database: an index or a constraint may call functions.
 */
export function schemaDamage(database: Database.Database, applied: number): SchemaDamage[] {
  const expected = new Map(expectedSchema(applied).map((object) => [object.name, object]));
  const found = readSchema(database);
  const names = new Set(found.map(({ name }) => name));
  return [
    ...found.flatMap((object): SchemaDamage[] => {
      const wanted = expected.get(object.name);
      const shown = { type: object.type, table: object.tbl_name, name: printable(object.name, 200) };
      if (wanted === undefined) return [{ ...shown, problem: `movedex makes no such ${object.type}` }];
      return isSame(object, wanted) ? [] : [{ ...shown, problem: difference(database, wanted) }];
    }),
    ...[...expected.values()]
      .filter(({ name }) => !names.has(name) && !DERIVED.test(name) && !loose.has(name))
      .map(({ tbl_name: table, name, type }) => ({ type, table, name, problem: `the ${type} is missing${isView(database, name)}` })),
  ];
}

/** Makes sure of it, before anything else is read; `what` may be done with it. @throws StoreError `MOVEDEX_STORE_DAMAGED` */
export function assertSchema(database: Database.Database, path: string, what: "restored" | "imported"): void {
  const [first] = schemaDamage(database, readSchemaState(database, path).applied);
  if (first === undefined) return;
  const why = `Only what movedex makes itself can be ${what} safely: drop what was added to the database, then try again`;
  throw damagedFile(path, `\`${first.name}\`: ${first.problem}. ${why}`);
}

const tableNames = JSON.stringify(tableList.map(({ name }) => name));

/** The text of every table that the program reads, and of triggers on them, in one number. Letters of other case are the same name. */
export function tablesDigest(database: Database.Database): string {
  const texts = database.prepare<[string], string>(
    "SELECT name || ' ' || sql FROM sqlite_schema WHERE type IN ('table', 'trigger') AND tbl_name COLLATE NOCASE IN (SELECT value FROM json_each(?)) ORDER BY name",
  );
  return sha256Hex(texts.pluck().all(tableNames).join("\n"));
}

/**
 * Makes sure, before anything of them is read or written, that movedex's tables are those that its `applied` migrations make, and that no
 * trigger acts on them: a view or a generated column in their place may have no end. Indexes, of people too, and what else is in the
 * database are left to `verify`.
 * @throws StoreError `MOVEDEX_STORE_DAMAGED`
 */
export function assertTables(database: Database.Database, path: string, applied: number): void {
  if (tablesDigest(database) === TABLES_DIGEST) return;
  const own = new Set(expectedSchema(applied).flatMap(({ type, name }) => (type === "table" ? [name] : [])));
  const [first] = schemaDamage(database, applied).filter(({ type, table }) => type !== "index" && own.has(table.toLowerCase()));
  if (first === undefined) return;
  throw damagedFile(path, `\`${first.name}\`: ${first.problem}. Take back what was changed, or restore a backup (\`movedex restore\`)`);
}

function isSame(a: SchemaObject, b: SchemaObject): boolean {
  return a.type === b.type && a.tbl_name === b.tbl_name && normalized(a.sql) === normalized(b.sql);
}

/** How an object differs from what movedex makes of that name: for a table by its columns, if these differ. */
function difference(database: Database.Database, { type, name, columns }: Expected): string {
  const problem = `the ${type} is not as movedex made it`;
  const found = type === "table" ? columnsOf(database, name) : columns;
  if (found === columns) return type === "table" ? `${problem}: its columns are right, but a key, a check or a default differs` : problem;
  return `${problem}: expected the columns (${columns}), found (${printable(found, 1000)})`;
}

function isView(database: Database.Database, name: string): string {
  return database.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'view' AND name = ?").get(name) === undefined
    ? ""
    : ": a view is in its place";
}

function columnsOf(database: Database.Database, table: string): string {
  const columns = database.prepare<[string], string>(
    "SELECT name || ' ' || lower(type) || CASE hidden WHEN 0 THEN '' ELSE ' (generated)' END FROM pragma_table_xinfo(?)",
  );
  return columns.pluck().all(table).join(", ");
}

function normalized(sql: string | null): string | null {
  // Some indexes are made again by movedex, with no quotes around names, and blanks between them.
  return sql === null ? null : sql.replace(SEARCH_INDEX, "$1words$2").replaceAll("`", "").replaceAll(", ", ",");
}

function readSchema(database: Database.Database): SchemaObject[] {
  return database
    .prepare<[], SchemaObject>("SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE type <> 'view'")
    .all()
    .filter(({ type, name }) => type === "trigger" || !INTERNAL.test(name));
}

const known = new Map<number, readonly Expected[]>();

function expectedSchema(applied: number): readonly Expected[] {
  const kept = known.get(applied);
  if (kept !== undefined) return kept;
  const database = new Database(":memory:");
  try {
    runMigrations(database, readMigrations(MIGRATIONS).slice(0, applied));
    if (applied < 2) database.exec(FIRST_SEARCH_INDEX);
    const schema = readSchema(database).map((object) => ({ ...object, columns: columnsOf(database, object.name) }));
    known.set(applied, schema);
    return schema;
  } finally {
    database.close();
  }
}
