import Database from "better-sqlite3";
import { printable } from "../../../base/printable.ts";
import { secondaryIndexes } from "../../../schema/derived-indexes.ts";
import { damagedFile } from "../../errors.ts";
import { readMigrations } from "../../migrations.ts";
import { MIGRATIONS, readSchemaState, runMigrations } from "./migrate.ts";

const loose: ReadonlySet<string> = new Set(secondaryIndexes.map(({ name }) => name));

/** An object of a database's schema that should not be there, or is not as movedex made it. */
export type SchemaDamage = { readonly name: string; readonly problem: string };

type SchemaObject = { readonly type: string; readonly name: string; readonly tbl_name: string; readonly sql: string | null };

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
      const shown = { name: printable(object.name, 200) };
      if (wanted === undefined) return [{ ...shown, problem: `movedex makes no such ${object.type}` }];
      return isSame(object, wanted) ? [] : [{ ...shown, problem: `the ${wanted.type} is not as movedex made it` }];
    }),
    ...[...expected.values()]
      .filter(({ name }) => !names.has(name) && !DERIVED.test(name) && !loose.has(name))
      .map(({ name, type }) => ({ name, problem: `the ${type} is missing` })),
  ];
}

/** Makes sure of it, before anything else is read; `what` may be done with it. @throws StoreError `MOVEDEX_STORE_DAMAGED` */
export function assertSchema(database: Database.Database, path: string, what: "restored" | "imported"): void {
  const [first] = schemaDamage(database, readSchemaState(database, path).applied);
  if (first === undefined) return;
  const why = `Only what movedex makes itself can be ${what} safely: drop what was added to the database, then try again`;
  throw damagedFile(path, `\`${first.name}\`: ${first.problem}. ${why}`);
}

function isSame(a: SchemaObject, b: SchemaObject): boolean {
  return a.type === b.type && a.tbl_name === b.tbl_name && normalized(a.sql) === normalized(b.sql);
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

const known = new Map<number, readonly SchemaObject[]>();

function expectedSchema(applied: number): readonly SchemaObject[] {
  const kept = known.get(applied);
  if (kept !== undefined) return kept;
  const database = new Database(":memory:");
  try {
    runMigrations(database, readMigrations(MIGRATIONS).slice(0, applied));
    if (applied < 2) database.exec(FIRST_SEARCH_INDEX);
    const schema = readSchema(database);
    known.set(applied, schema);
    return schema;
  } finally {
    database.close();
  }
}
