import Database from "better-sqlite3";
import { printable } from "../../../../base/printable.ts";
import { sha256Hex } from "../../../../base/sha256.ts";
import { TABLES_DIGEST } from "../../../schema/digests.ts";
import { secondaryIndexes } from "../../../schema/tables/derived.ts";
import { broughtTables, findTable, tableList } from "../../../schema/tables/tables.ts";
import { damagedFile, placeError, type StoreError } from "../../errors.ts";
import { readMigrations } from "../../migrations.ts";
import { MIGRATIONS, runMigrations } from "./migrate.ts";

const loose: ReadonlySet<string> = new Set(secondaryIndexes.map(({ name }) => name));

/** An object of a database's schema that should not be there, or is not as movedex made it. */
export type SchemaDamage = Pick<SchemaObject, "type" | "name"> & {
  readonly table: string;
  readonly problem: string;
  /** Whether somebody has added it to what movedex makes, so that nothing is damaged. */
  readonly isAdded?: true;
};

type SchemaObject = { readonly type: string; readonly name: string; readonly tbl_name: string; readonly sql: string | null };

const INTERNAL = /^sqlite_(?:stat[134]|sequence|autoindex_.*)$/;

/** For an index, given by its table and name, that works nothing out: whether it refuses rows. */
const REFUSES_ROWS = `SELECT l."unique" FROM pragma_index_list(?) l WHERE l.name = ? AND NOT l.partial
  AND NOT EXISTS (SELECT 1 FROM pragma_index_xinfo(l.name) WHERE cid = -2)`;

/** A table whose text has nothing that SQLite works out when it checks the file. */
const PLAIN_TABLE = /^CREATE TABLE (?!.*\b(?:CHECK|AS)\b)/is;

/** So many migrations make the tables of all capabilities there were. A database that was made without one has had them all at once. */
const COMMON = 8;

/** The word index of the first migration's tables, and its parts: made outside of migrations, and dropped by the second one. */
const FIRST_INDEX = /^search_index(?:_\w+)?$/;

/**
 * Compares the tables, indexes and triggers of a database with those that its `applied` migrations make; those of a capability may be
 * missing. A table's text has its columns, checks, defaults and references, so nothing can hide in them. People may add what neither acts
 * on these nor has SQLite work anything out: views, which are left to `alteredViews`, plain tables (`added`) with triggers, and indexes
 * that only order columns. Call it before anything else reads the database: an index or a constraint may call functions.
 */
export function compareSchema(database: Database.Database, applied: number) {
  const expected = expectedSchema(applied);
  const found = readSchema(database, applied);
  const lacking = new Set(lackingTables(database));
  const mayLack = (table: string): boolean =>
    applied >= COMMON && !found.has(table) && (lacking.has(table) || findTable(table) === undefined);
  const harmOf = harmsIn(database, tablesOf(expected));
  const damage: SchemaDamage[] = [];
  const added: string[] = [];
  const note = ({ type, name, tbl_name: table }: SchemaObject, problem: string, isAdded?: true) =>
    damage.push({ type, table, name: printable(name, 200), problem, ...(isAdded && { isAdded }) });
  for (const [key, object] of found) {
    const { type, name } = object;
    const wanted = expected.get(key);
    const harm = wanted === undefined ? harmOf(object) : undefined;
    if (harm !== undefined) note(object, `movedex makes no such ${type}: ${harm}`, true);
    else if (wanted === undefined) type === "table" && added.push(name);
    else if (!isSame(object, wanted)) note(object, `the ${type} is not as movedex made it`);
  }
  for (const object of expected.values())
    if (!found.has(object.name) && !loose.has(object.name) && !mayLack(object.tbl_name)) note(object, `the ${object.type} is missing`);
  return { damage, added };
}

/** What keeps an object that movedex did not make from being let be; undefined for nothing. `own` are its tables. */
function harmsIn(database: Database.Database, own: ReadonlySet<string>): (object: SchemaObject) => string | undefined {
  const refusesRows = database.prepare<[string, string], bigint | number>(REFUSES_ROWS).pluck();
  const references = database.prepare<[string], string>('SELECT "table" FROM pragma_foreign_key_list(?)').pluck();
  const isOurs = (table: string): boolean => own.has(table.toLowerCase());
  return ({ type, name, tbl_name: table, sql }) => {
    if (type === "trigger") return isOurs(table) ? "it acts when its table is written" : undefined;
    if (type === "index") {
      const refuses = refusesRows.get(table, name);
      if (refuses === undefined) return "it works something out for each row";
      return isOurs(table) && Number(refuses) === 1 ? "it refuses rows that are alike" : undefined;
    }
    if (references.all(name).some(isOurs)) return "its foreign key keeps movedex from deleting rows";
    return PLAIN_TABLE.test(sql ?? "") ? undefined : "it works something out when it is checked";
  };
}

/** The tables of capabilities that a database has never had, by its own table `documentation`: it was made without them. */
export function lackingTables(database: Database.Database): readonly string[] {
  const named = database.prepare<[string], string>("SELECT sql FROM sqlite_schema WHERE name = ?").pluck();
  const missing = broughtTables.map(({ name }) => name).filter((name) => named.get(name) === undefined);
  // A view of somebody's, or a column that is computed, might have no end.
  if (missing.length === 0 || !PLAIN_TABLE.test(named.get("documentation") ?? "")) return [];
  const described = new Set(database.prepare<[], string>("SELECT relation FROM documentation WHERE kind = 'table'").pluck().all());
  return missing.filter((name) => !described.has(name));
}

const tableNames = JSON.stringify(tableList.map(({ name }) => name));

/** Whether a name is one of a JSON list. Letters of other case are the same name. */
const IS_OF = "COLLATE NOCASE IN (SELECT value FROM json_each(:names))";

/**
 * Whether writing a row of the tables of a list works out what `s` says, as SQLite itself reads its text: an index with an expression or a
 * condition, or another table that refers to them.
 */
const REACHES = `(type = 'index' AND s.tbl_name ${IS_OF} AND (EXISTS (SELECT 1 FROM pragma_index_xinfo(s.name) WHERE cid = -2)
    OR EXISTS (SELECT 1 FROM pragma_index_list(s.tbl_name) l WHERE l.name = s.name AND l.partial))
  OR type = 'table' AND NOT s.name ${IS_OF} AND EXISTS (SELECT 1 FROM pragma_foreign_key_list(s.name) k WHERE k."table" ${IS_OF}))`;

/** The text of every table that the program reads, of triggers on them, and of what reaches into them, in one number. */
export function tablesDigest(database: Database.Database): string {
  const texts = database.prepare<[{ names: string }], string>(
    `SELECT name || ' ' || sql FROM sqlite_schema s WHERE type IN ('table', 'trigger') AND tbl_name ${IS_OF} OR ${REACHES} ORDER BY name`,
  );
  return sha256Hex(texts.pluck().all({ names: tableNames }).join("\n"));
}

/**
 * Makes sure, before anything of them is read or written, that movedex's tables are those that its `applied` migrations make, and that no
 * trigger, index or table of others acts when they are written: a view or a generated column may have no end. What else is in the database
 * is left to `verify`.
 * @returns whether they are those of this program, and none is still to be made or migrated
 * @throws StoreError `MOVEDEX_STORE_DAMAGED`
 */
export function assertTables(database: Database.Database, path: string, applied: number): boolean {
  if (tablesDigest(database) === TABLES_DIGEST) return true;
  const own = tablesOf(expectedSchema(applied));
  const names = database.prepare<[{ names: string }], string>(`SELECT name FROM sqlite_schema s WHERE ${REACHES}`).pluck();
  const reaching = new Set(names.all({ names: JSON.stringify([...own]) }).map((name) => printable(name, 200)));
  const first = compareSchema(database, applied).damage.find(
    ({ type, table, name }) => reaching.has(name) || (type !== "index" && own.has(table.toLowerCase())),
  );
  if (first === undefined) return false;
  if (first.isAdded) throw addedTo(path, first);
  throw damagedFile(path, `\`${first.name}\`: ${first.problem}. Take back what was changed, or restore a backup (\`movedex restore\`)`);
}

/** The error of a database beside whose added object movedex cannot work. */
export function addedTo(path: string, { type, name, problem }: SchemaDamage): StoreError {
  const text = `somebody has added to \`${printable(path)}\` what movedex cannot work beside. \`${name}\`: ${problem}. Drop it (\`DROP ${type.toUpperCase()}\`), or keep it in a database of its own, then try again.`;
  return placeError(path, "MOVEDEX_STORE_DAMAGED", text, { added: name });
}

function isSame(a: SchemaObject, b: SchemaObject): boolean {
  return a.type === b.type && a.tbl_name === b.tbl_name && normalized(a.sql) === normalized(b.sql);
}

function normalized(sql: string | null): string | null {
  // Some indexes are made again by movedex, with no quotes around names, and blanks between them.
  return sql === null ? null : sql.replaceAll("`", "").replaceAll(", ", ",");
}

/** Objects by their names. A trigger may have that of a table. */
type Schema = ReadonlyMap<string, SchemaObject>;

function readSchema(database: Database.Database, applied: number): Schema {
  const isIgnored = (name: string): boolean => INTERNAL.test(name) || (applied < 2 && FIRST_INDEX.test(name));
  const objects = database.prepare<[], SchemaObject>("SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE type <> 'view'").all();
  const isTrigger = ({ type }: SchemaObject): boolean => type === "trigger";
  const compared = objects.filter((object) => isTrigger(object) || !isIgnored(object.name));
  return new Map(compared.map((object) => [isTrigger(object) ? `trigger ${object.name}` : object.name, object]));
}

function tablesOf(schema: Schema): ReadonlySet<string> {
  return new Set(Array.from(schema.values()).flatMap(({ type, name }) => (type === "table" ? [name] : [])));
}

const known = new Map<number, Schema>();

function expectedSchema(applied: number): Schema {
  const kept = known.get(applied);
  if (kept !== undefined) return kept;
  const database = new Database(":memory:");
  try {
    runMigrations(database, readMigrations(MIGRATIONS).slice(0, applied));
    const schema = readSchema(database, applied);
    known.set(applied, schema);
    return schema;
  } finally {
    database.close();
  }
}
