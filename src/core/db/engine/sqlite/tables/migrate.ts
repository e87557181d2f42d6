import { renameSync, rmSync } from "node:fs";
import type { Database } from "better-sqlite3";
import { capabilityTables } from "../../../../../capability-tables.ts";
import { packageFile } from "../../../../base/files.ts";
import { sha256Hex } from "../../../../base/sha256.ts";
import { VIEWS_DIGEST } from "../../../schema/digests.ts";
import { isAsWritten } from "../../../schema/sql/checksum.ts";
import { quotedName } from "../../../schema/sql/sql.ts";
import { tableList } from "../../../schema/tables/tables.ts";
import { workTables } from "../../../schema/tables/work.ts";
import { damagedFile, newerTables, placeError } from "../../errors.ts";
import { type Migration, migrationTimesIn, readMigrations, statementsFor, tableStatements } from "../../migrations.ts";
import { datedName, writeArchiveChecksum } from "../open-file.ts";

export const MIGRATIONS = packageFile("migrations/sqlite");

/** Letter for letter what drizzle's migrator makes: `verify` compares it, and files of either way are alike. */
const RECORD = `CREATE TABLE "__drizzle_migrations" (
\t\t\t\tid SERIAL PRIMARY KEY,
\t\t\t\thash text NOT NULL,
\t\t\t\tcreated_at numeric
\t\t\t)`;

/** The views of this program in one number: without a capability they are others. */
const VIEWS = sha256Hex([VIEWS_DIGEST, ...Object.keys(capabilityTables)].join(" "));

export type SchemaState = { readonly applied: number; readonly known: number };

/** What migrations a database has had. @throws StoreError `MOVEDEX_STORE_NEWER` when it has had one that this movedex does not know */
export function readSchemaState(database: Database, path: string, folder = MIGRATIONS): SchemaState {
  const known = migrationTimesIn(folder).map(BigInt);
  const times = migrationTimes(database, path);
  if (times.some((time) => !known.includes(time))) throw newerTables(path, times.length, known.length);
  return { applied: times.length, known: known.length };
}

/**
 * Brings a database's tables up to date. An older database is first copied beside itself, under the time of the migration; such a copy,
 * whose path is returned, is never overwritten or removed. Foreign keys cannot be switched off in a transaction, and a rebuilt table would
 * empty its children (DROP TABLE deletes rows, ON DELETE acts): so they are off before, and checked after. @throws StoreError
 * `MOVEDEX_STORE_MIGRATION` when rows refer to nothing afterwards
 */
export function migrateDatabase(database: Database, path: string, now: number, folder = MIGRATIONS): string | undefined {
  const { applied, known } = readSchemaState(database, path, folder);
  if (applied === known) return undefined;
  const copy = applied > 0 ? copyDatabase(database, path, now) : undefined;
  database.pragma("foreign_keys = OFF");
  try {
    // Whoever is killed meanwhile has lost no view of anybody's.
    database.transaction(() => {
      const views = takeViewsDown(database);
      runMigrations(database, readMigrations(folder), (migration) => statementsFor(migration, tablesIn(database)));
      for (const sql of views) database.exec(sql);
      // Its own views are made anew.
      if (applied > 0) noteViews(database, false);
    })();
  } catch (error) {
    // It is as it was. A night that fails for want of room would leave another copy each time.
    if (copy !== undefined) rmSync(copy);
    throw error;
  } finally {
    database.pragma("foreign_keys = ON");
  }
  const broken = database.pragma("foreign_key_check") as readonly { table: string }[];
  if (broken.length > 0) {
    const tables = [...new Set(broken.map((row) => row.table))];
    const before = copy === undefined ? "" : `The database as it was before is \`${copy}\`.`;
    const text = `after migrating \`${path}\`, ${broken.length} rows of ${tables.join(", ")} refer to rows that are not there. ${before}`;
    throw placeError(path, "MOVEDEX_STORE_MIGRATION", text, { tables, rows: broken.length });
  }
  return copy;
}

/**
 * Makes the tables of a new database: those that the migrations come to, at once, which takes a tenth of their time, and without the
 * indexes that only questions need.
 */
export function makeTables(database: Database): void {
  const tables = tableStatements(
    "sqlite",
    tableList.map(({ name }) => name),
  ).join("");
  runMigrations(database, readMigrations(MIGRATIONS), (_, i) => (i === 0 ? [tables] : []));
}

/** Makes some tables with their indexes, such as those of a capability in a database that was made without it. */
export function addTables(database: Database, names: readonly string[]): void {
  database.exec(tableStatements("sqlite", names).join(""));
}

function tablesIn(database: Database): string[] {
  return database.prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all();
}

/** Runs in one transaction what `chosen` gives of each migration that is missing: by default all. drizzle-kit can go on from there. */
export function runMigrations(
  database: Database,
  migrations: readonly Migration[],
  chosen = ({ statements }: Migration, _place: number): readonly string[] => statements,
): void {
  database.transaction(() => {
    database.exec(RECORD.replace("TABLE", "TABLE IF NOT EXISTS"));
    const last = database.prepare<[], number | bigint | null>("SELECT max(created_at) FROM __drizzle_migrations").pluck().get();
    const record = database.prepare("INSERT INTO __drizzle_migrations (hash, created_at) VALUES (?, ?)");
    for (const [i, migration] of migrations.entries()) {
      const { when, text } = migration;
      if (when <= Number(last ?? 0)) continue;
      for (const statement of chosen(migration, i)) database.exec(statement);
      record.run(sha256Hex(text), when);
    }
  })();
}

/** Drops all views: SQLite renames no table while a view names a missing one. Returns people's own, with their triggers, to make anew. */
function takeViewsDown(database: Database): string[] {
  const own = new Set([...installedViews(database), "documentation"]);
  const views = database
    .prepare<[], { type: string; view: string; sql: string }>(
      `SELECT type, tbl_name AS view, sql FROM sqlite_schema s WHERE type = 'view'
      OR type = 'trigger' AND EXISTS (SELECT 1 FROM sqlite_schema v WHERE v.type = 'view' AND v.name = s.tbl_name COLLATE NOCASE) ORDER BY type = 'trigger'`,
    )
    .all();
  for (const { type, view } of views) if (type === "view") database.exec(`DROP VIEW ${quotedName(view)}`);
  return views.filter(({ view }) => !own.has(view.toLowerCase())).map(({ sql }) => sql);
}

export function hasViews(database: Database): boolean {
  return readViewsDigest(database) === VIEWS;
}

/** Which views are installed; undefined where a run ended before it had made any. */
export function readViewsDigest(database: Database): string | undefined {
  return database.prepare<[], string | null>("SELECT views_digest FROM _archive").pluck().get() ?? undefined;
}

/** Notes that this program's views are installed, or that they were dropped. Damage of the row stays seen. */
export function noteViews(database: Database, areThere: boolean): void {
  const isIntact = database.prepare(`SELECT 1 FROM _archive WHERE ${isAsWritten(workTables.archive).in("sqlite")}`).get() !== undefined;
  database.prepare("UPDATE _archive SET views_digest = ?").run(areThere ? VIEWS : null);
  if (isIntact) writeArchiveChecksum(database);
}

/** The public views that some movedex made; people may have made others of their own, of any name. */
export function installedViews(database: Database): string[] {
  const isThere = database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'documentation'").get() !== undefined;
  if (!isThere) return [];
  const names = database.prepare<[], string>("SELECT DISTINCT relation FROM documentation WHERE kind = 'view'").pluck();
  return names.all();
}

function copyDatabase(database: Database, path: string, now: number): string {
  const copy = datedName(`${path}.before-`, now);
  // One name for all runs, so that the next one takes away what a killed one left.
  const part = `${path}.before.part`;
  rmSync(part, { force: true });
  try {
    database.prepare("VACUUM INTO ?").run(part);
    renameSync(part, copy);
  } finally {
    rmSync(part, { force: true });
  }
  return copy;
}

function migrationTimes(database: Database, path: string): bigint[] {
  const lists = database.prepare<[], string | null>("SELECT sql FROM sqlite_schema WHERE name = '__drizzle_migrations' COLLATE NOCASE");
  const list = lists.pluck().get();
  // Only a file that has nothing yet is new: in one that has lost its list, whatever bears one of movedex's names would be read unseen.
  if (list === undefined && database.prepare("SELECT 1 FROM sqlite_schema").get() === undefined) return [];
  // A view of somebody's, or a column that is computed, might have no end.
  if (list !== RECORD) throw damagedFile(path, `its list of migrations is ${list === undefined ? "missing" : "not as movedex made it"}`);
  const rows = database.prepare<[], { created_at: unknown }>("SELECT created_at FROM __drizzle_migrations").all();
  return rows.map(({ created_at: time }) => {
    if (typeof time === "bigint" || Number.isSafeInteger(time)) return BigInt(time as bigint | number);
    throw placeError(path, "MOVEDEX_STORE_DAMAGED", `\`${path}\` is damaged: its list of migrations cannot be read. Restore a copy.`);
  });
}
