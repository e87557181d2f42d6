import { expect, test } from "vitest";
import { datasetteMetadata, dbtSources } from "../../src/capabilities/schema/relation-list.ts";
import { tableList } from "../../src/core/db/schema/tables/tables.ts";

test("movedex schema --format datasette hides what is inside", () => {
  const { tables } = JSON.parse(datasetteMetadata("night")).databases.night;
  const inside = Object.entries(tables).filter(([name]) => name.startsWith("_"));
  expect(inside.length).toBeGreaterThan(50);
  const tablesOfAll = new Set<string>([...tableList.map(({ name }) => name), "__drizzle_migrations"]);
  for (const [name, about] of inside) expect(about, name).toEqual(tablesOfAll.has(name) ? { hidden: true } : { allow: false });
  expect(inside.map(([name]) => name)).toEqual(expect.arrayContaining(["_version_times", "_snapshots_text", "_all_snapshots"]));
});

test("movedex schema --format dbt has nothing in it that dbt would take for a template", () => {
  expect(dbtSources("movedex")).not.toMatch(/\{[{%#]/);
});

test("movedex schema --format dbt has the arguments of tests where dbt wants them, and no freshness from an old version sealed today", () => {
  const sources = dbtSources("movedex");
  expect(sources.match(/"relationships":/g)?.length).toBe(sources.match(/"relationships":\{"arguments":\{"column_name":/g)?.length);
  expect(sources).toContain('loaded_at_field: "ledger_time"');
});
