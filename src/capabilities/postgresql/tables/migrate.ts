import { packageFile } from "../../../core/base/files.ts";
import type { Engine, Session, Transaction } from "../../../core/db/engine/engine.ts";
import { damagedFile, newerTables, placeError } from "../../../core/db/engine/errors.ts";
import { type Migration, readMigrations, statementsFor, tableStatements } from "../../../core/db/engine/migrations.ts";
import { textsOf } from "../../../core/db/engine/row-shape.ts";
import { kinds } from "../../../core/db/schema/column.ts";
import { writeChecksum } from "../../../core/db/schema/sql/checksum.ts";
import { named, quotedName, sql, verbatim } from "../../../core/db/schema/sql/sql.ts";
import { broughtTables, findTable, tableList } from "../../../core/db/schema/tables/tables.ts";
import { workTables } from "../../../core/db/schema/tables/work.ts";
import { failureCode } from "../postgresql-errors.ts";
import { dropOwnViews, existing, noteViews, type SchemaPlace, schemaTurn, viewsInTheWay } from "./install-views.ts";

const MIGRATIONS = packageFile("migrations/postgresql");

export type MigrateOptions = SchemaPlace & { readonly now: number; readonly appVersion: string };

/** How far a schema's tables are; `missing` when movedex was never there. */
export type SchemaState = { readonly isThere: boolean; readonly applied: number; readonly known: number };

/** Where migrations are recorded, and where that was before the second one. */
const RECORD = "_migrations";
const FIRST_RECORD = "migrations";

/**
 * Makes the schema or brings its tables up to date in one transaction, one process at a time. @returns whether older tables were changed
 * @throws StoreError `MOVEDEX_STORE_NEWER`, `MOVEDEX_STORE_FOREIGN`; `MOVEDEX_STORE_READ_ONLY` without the right to make tables
 */
export async function migratePostgres(engine: Engine, options: MigrateOptions, folder = MIGRATIONS): Promise<boolean> {
  try {
    const { applied, known } = await readSchemaState(engine, options, folder);
    if (applied === known) return false;
  } catch (error) {
    // A table of the list by which it looked was renamed meanwhile: who waits for its turn sees what came of that.
    if (failureCode(error) !== "42P01") throw error;
  }
  try {
    return await engine.transaction((tx) => migrate(tx, options, readMigrations(folder)));
  } catch (error) {
    throw viewsInTheWay(error, options);
  }
}

/**
 * How far a schema's tables are. @throws StoreError `MOVEDEX_STORE_NEWER` for unknown migrations, `MOVEDEX_STORE_FOREIGN` for others'
 * tables
 */
export async function readSchemaState(engine: Engine, place: SchemaPlace, folder = MIGRATIONS): Promise<SchemaState> {
  return await engine.transaction((tx) => stateOf(tx, place, readMigrations(folder)), { mode: "read" });
}

async function migrate(tx: Transaction, options: MigrateOptions, known: readonly Migration[]): Promise<boolean> {
  const { schema, now, appVersion } = options;
  await tx.all(schemaTurn, { schema });
  const { isThere, applied } = await stateOf(tx, options, known);
  if (applied === known.length) return false;
  if (!isThere) await tx.run(sql`CREATE SCHEMA ${named(schema)}`);
  if (applied === 1) await tx.run(sql`ALTER TABLE IF EXISTS ${named(schema)}.${named(FIRST_RECORD)} RENAME TO ${named(RECORD)}`);
  await tx.run(sql`CREATE TABLE IF NOT EXISTS _migrations (id bigint PRIMARY KEY, tag text NOT NULL, applied_at timestamptz NOT NULL)`);
  // They are made anew from today's data.
  if (applied > 0) await dropOwnViews(tx);
  const before = await textsOf(tx, existing);
  for (const [i, migration] of known.entries()) {
    if (i < applied) continue;
    for (const statement of statementsFor(migration, await textsOf(tx, existing))) await tx.run(verbatim(statement));
    await tx.run(sql`INSERT INTO _migrations VALUES (:id, :tag, :now::time)`, { id: i + 1, tag: migration.tag, now });
  }
  if (applied === 0) {
    // Whatever was there is somebody's.
    const absent = (await textsOf(tx, existing)).filter((name) => !before.includes(name) && findTable(name) === undefined);
    if (absent.length > 0) await tx.run(verbatim(`DROP TABLE ${absent.map(quotedName).join(", ")}`));
  }
  const begun = sql`INSERT INTO _archive (id, created_by, created_at) VALUES (1, :by, :now::time) ON CONFLICT DO NOTHING`;
  if ((await tx.run(begun, { by: appVersion, now })) > 0) await tx.run(writeChecksum(workTables.archive), { id: 1 });
  await noteViews(tx, null);
  return applied > 0;
}

async function stateOf(tx: Transaction, { schema, label }: SchemaPlace, known: readonly Migration[]): Promise<SchemaState> {
  // A view has none of the names: its rows may be anybody's, and without end.
  const relations = sql<[string | null]>`SELECT CASE WHEN c.relkind = 'v' THEN '' ELSE CAST(c.relname AS text) END FROM pg_namespace n
    LEFT JOIN pg_class c ON c.relnamespace = n.oid AND c.relkind IN ('r', 'v') WHERE n.nspname = :schema`;
  const names = (await tx.all(relations, { schema })).map(([name]) => name);
  const state = { isThere: names.length > 0, applied: 0, known: known.length };
  if (names.every((name) => name === null)) return state;
  const isFirst = !names.includes(RECORD) && names.includes(FIRST_RECORD) && names.includes("bytecode_blobs");
  if (!names.includes(RECORD) && !isFirst) {
    const text = `the schema \`${schema}\` of \`${label}\` holds tables, but not movedex's. Name another schema or database.`;
    throw placeError(label, "MOVEDEX_STORE_FOREIGN", text, { schema });
  }
  // By the schema's name: without a right to it, searching would pass over it and find no such table.
  const record = sql`${named(schema)}.${named(isFirst ? FIRST_RECORD : RECORD)}`;
  // Row 0 stood for a lock once.
  const tags = await textsOf(tx, sql`SELECT tag FROM ${record} WHERE id > 0 ORDER BY id`);
  if (tags.some((tag, i) => tag !== known[i]?.tag)) throw newerTables(label, tags.length, known.length);
  return { ...state, applied: tags.length };
}

// A view, or a table of another server, is no table: its rows are computed, and need not end.
const columnsOf = sql<[string, string]>`SELECT CAST(c.relname AS text), string_agg(CAST(a.attname AS text) || ' ' ||
  format_type(a.atttypid, a.atttypmod) || CASE a.attgenerated WHEN '' THEN '' ELSE ' (generated)' END, ', ' ORDER BY a.attnum)
  FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
  WHERE c.relnamespace = CAST(current_schema() AS regnamespace) AND c.relkind = 'r' AND c.relname = ANY(string_to_array(:names, ' '))
  AND a.attnum > 0 AND NOT a.attisdropped GROUP BY c.relname`;

/** The names of PostgreSQL's types where it prints another than the one that was asked for. */
const printed: Readonly<Record<string, string>> = { timestamptz: "timestamp with time zone" };

/** Makes the tables of capabilities that a schema was made without. */
export async function addTables(engine: Engine, { schema, label }: SchemaPlace): Promise<void> {
  await engine.transaction(async (tx) => {
    await tx.all(schemaTurn, { schema });
    for (const statement of tableStatements("postgresql", await assertTables(tx, label))) await tx.run(verbatim(statement));
  });
}

/**
 * Makes sure of all tables before anything of them is read or written.
 * @returns the tables of capabilities that the schema has never had, by its own table `documentation`: it was made without them
 * @throws StoreError `MOVEDEX_STORE_DAMAGED`
 */
export async function assertTables(session: Session, label: string): Promise<readonly string[]> {
  const names = tableList.map(({ name }) => name).join(" ");
  const found = new Map(await session.all(columnsOf, { names }));
  const lacking = broughtTables.map(({ name }) => name).filter((name) => !found.has(name));
  const damaged = (name: string, problem: string) =>
    damagedFile(label, `\`${name}\`: the table is ${problem}. Take back what was changed, or restore a dump of the schema`);
  for (const { name, columns } of tableList) {
    const wanted = Object.entries(columns).map(
      ([column, { kind }]) => `${column} ${printed[kinds[kind].postgresql] ?? kinds[kind].postgresql}`,
    );
    const list = found.get(name);
    // In any order, since migrations add some at the end.
    if (lacking.includes(name) || list?.split(", ").sort().join() === wanted.sort().join()) continue;
    throw damaged(name, list === undefined ? "missing" : "not as movedex made it");
  }
  const had = lacking.length === 0 ? [] : await textsOf(session, sql`SELECT relation FROM documentation WHERE kind = 'table'`);
  const lost = lacking.find((name) => had.includes(name));
  if (lost !== undefined) throw damaged(lost, "missing");
  return lacking;
}
