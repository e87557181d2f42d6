import { readdirSync, readFileSync } from "node:fs";
import Database from "better-sqlite3";
import { describe, expect, test } from "vitest";
import { sqliteTableOptions } from "../../../src/capabilities/drizzle/sqlite.ts";
import { kinds, type ViewKind } from "../../../src/core/db/schema/column.ts";
import { referencesOf } from "../../../src/core/db/schema/table.ts";
import { findTable, tableList } from "../../../src/core/db/schema/tables/tables.ts";
import { viewStatements } from "../../../src/core/db/schema/view-statements.ts";
import { viewList } from "../../../src/core/db/schema/views/views.ts";

const folder = new URL("../../../migrations/sqlite/", import.meta.url);

function migrated(): Database.Database {
  const database = new Database(":memory:");
  const files = readdirSync(folder).filter((name) => name.endsWith(".sql"));
  for (const file of files.sort()) database.exec(readFileSync(new URL(file, folder), "utf8"));
  return database;
}

describe("the migrations", () => {
  const database = migrated();
  const listed = database.pragma("table_list") as { name: string; type: string; strict: number; wr: number }[];

  test("make the tables of the table data and no others", () => {
    const names = listed.filter(({ type, name }) => type === "table" && !name.startsWith("sqlite_")).map(({ name }) => name);
    expect(names.sort()).toEqual(tableList.map(({ name }) => name).sort());
  });

  test.each(tableList)("make $name as its data says", (table) => {
    const columns = database.pragma(`table_info(${table.name})`) as { name: string; type: string; notnull: number; pk: number }[];
    expect(columns.map(({ name, type, notnull, pk }) => [name, type.toLowerCase(), notnull === 0 && pk === 0, pk])).toEqual(
      Object.entries(table.columns).map(([name, about]) => [
        ...[name, kinds[about.kind].sqlite, about.nullable === true, table.key.indexOf(name) + 1],
      ]),
    );
    const options = listed.find(({ name }) => name === table.name);
    expect([options?.strict, options?.wr]).toEqual([1, sqliteTableOptions(table).includes("WITHOUT ROWID") ? 1 : 0]);
    const indexes = database.pragma(`index_list(${table.name})`) as { name: string; unique: number; origin: string }[];
    const found = indexes
      .filter(({ origin }) => origin === "c")
      .map(({ name, unique }) => ({
        unique,
        columns: (database.pragma(`index_info(${name})`) as { name: string }[]).map((column) => column.name),
      }));
    const wanted = (table.indexes ?? []).map((index) => ({ unique: "unique" in index && index.unique ? 1 : 0, columns: index.columns }));
    expect(found).toEqual(expect.arrayContaining(wanted));
    expect(found).toHaveLength(wanted.length);
    const parts = database.pragma(`foreign_key_list(${table.name})`) as { id: number; from: string; to: string; table: string }[];
    const references = [...Map.groupBy(parts, ({ id }) => id).values()].map((columns) => [
      columns.map(({ from }) => from),
      columns[0]?.table,
      columns.map(({ to }) => to),
    ]);
    expect(references.sort()).toEqual(
      referencesOf(table)
        .map(({ columns, parent }) => [columns, parent, findTable(parent)?.key])
        .sort(),
    );
  });

  test("have tables in the order of what they refer to", () => {
    // Bytecodes come before what is derived of them, and get their ABI then.
    const seen = new Set(["_abis"]);
    for (const table of tableList) {
      seen.add(table.name);
      for (const { parent } of referencesOf(table)) expect(seen).toContain(parent);
    }
  });
});

describe("viewList", () => {
  const database = migrated();
  for (const { create } of viewStatements("sqlite")) database.exec(create);

  test.each(viewList)("$name has the columns that its data says", ({ name, columns }) => {
    const found = database.prepare(`SELECT * FROM ${name}`).columns();
    expect(found.map((column) => column.name)).toEqual(Object.keys(columns));
    const declared = database.pragma(`table_info(${name})`) as { name: string; type: string }[];
    const number = ["INTEGER", "INT", "NUM"];
    const types = { text: ["TEXT"], integer: number, boolean: number, u64: [""], time: ["TEXT"] };
    for (const { name: column, type } of declared) expect(types[kinds[columns[column]?.kind as ViewKind].type], column).toContain(type);
  });

  test("has a latest view beside each view of what stood", () => {
    const names = viewList.map(({ name }) => name);
    const latest = names.filter((name) => name.endsWith("_at")).map((name) => name.replace(/_at$/, "_latest"));
    expect(names).toEqual(expect.arrayContaining(latest));
  });
});
