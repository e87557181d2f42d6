// Run after `drizzle-kit generate`: says in the generated SQL what drizzle cannot, and keeps of drizzle-kit's snapshots the newest, which
// is the one that it compares with. Running it again changes nothing.
// SQLite: STRICT and WITHOUT ROWID of each CREATE TABLE, also where a table is rebuilt under the name `__new_…`.
// PostgreSQL: no schema's name, since the one to use is searched; columns of compressed bytes are kept as they are, tables whose rows are
// changed in place leave room for it, and the planner is told how many values a column has.
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { sqliteTableOptions } from "../../src/capabilities/drizzle/sqlite.ts";
import { tableList } from "../../src/core/db/schema/tables/tables.ts";

const sqliteOptions = new Map(tableList.map((table) => [table.name, sqliteTableOptions(table)]));
const rewritten = new Set(tableList.filter(({ isRewritten }) => isRewritten).map(({ name }) => name));
const settings = new Map(
  tableList.map(({ name, columns }) => [
    name,
    Object.entries(columns).flatMap(([column, { isCompressed, distinctPerRow }]) => [
      ...(isCompressed ? [`ALTER COLUMN "${column}" SET STORAGE EXTERNAL`] : []),
      ...(distinctPerRow === undefined ? [] : [`ALTER COLUMN "${column}" SET (n_distinct = ${(-distinctPerRow).toFixed(4)})`]),
    ]),
  ]),
);

function finishSqlite(sql: string): string {
  return sql.replace(/CREATE TABLE `(?:__new_)?(\w+)` \(([\s\S]*?)\n\);/g, (statement, name: string) => {
    const words = sqliteOptions.get(name);
    return words === undefined ? statement : statement.replace(/\);$/, `) ${words};`);
  });
}

function finishPostgresql(sql: string): string {
  return sql
    .replaceAll('"public".', "")
    .replace(
      /CREATE TABLE "(\w+)" \(([^;]*)\n\);\n(?!--> statement-breakpoint\nALTER TABLE "\w+" (?:ALTER COLUMN|SET))/g,
      (statement, name: string) => {
        const set = [...(settings.get(name) ?? []), ...(rewritten.has(name) ? ["SET (fillfactor = 50)"] : [])];
        return statement + set.map((words) => `--> statement-breakpoint\nALTER TABLE "${name}" ${words};\n`).join("");
      },
    );
}

/** A table on each line: a schema as drizzle-kit writes it takes thousands of lines. */
function finishSnapshot(text: string): string {
  const { tables, ...rest } = JSON.parse(text) as { readonly tables: Readonly<Record<string, unknown>> };
  const lines = Object.entries(tables).map(([name, table]) => `"${name}":${JSON.stringify(table)}`);
  return `${JSON.stringify(rest).slice(0, -1)},"tables":{\n${lines.join(",\n")}\n}}\n`;
}

function rewrite(file: URL, finish: (text: string) => string): void {
  const before = readFileSync(file, "utf8");
  const after = finish(before);
  if (after !== before) writeFileSync(file, after);
}

for (const [dialect, finish] of [
  ["sqlite", finishSqlite],
  ["postgresql", finishPostgresql],
] as const) {
  const folder = new URL(`../../migrations/${dialect}/`, import.meta.url);
  for (const file of readdirSync(folder).filter((name) => name.endsWith(".sql"))) rewrite(new URL(file, folder), finish);
  const meta = new URL("meta/", folder);
  const snapshots = readdirSync(meta).filter((name) => name.endsWith("_snapshot.json"));
  const newest = snapshots.sort().pop();
  if (newest !== undefined) rewrite(new URL(newest, meta), finishSnapshot);
  for (const old of snapshots) rmSync(new URL(old, meta));
}
