import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { relations } from "../../src/schema/documentation.ts";
import { datasetteMetadata, dbtSources } from "../../src/schema/relation-list.ts";
import { tableList } from "../../src/schema/tables/tables.ts";
import { keyOf, viewList } from "../../src/schema/views/views.ts";
import { runCli } from "../support/run-cli.ts";

const meaningsOf = (name: string): Record<string, string> => {
  const { columns } = relations.find((relation) => relation.name === name) ?? expect.fail(name);
  return Object.fromEntries(columns.map(({ column, meaning }) => [column, meaning]));
};

describe("movedex schema --format datasette", () => {
  test("says what every view and column means, under the file's name", async () => {
    const { stdout, code } = await runCli(["schema", "night", "--format", "datasette"]);
    expect(code).toBe(0);
    expect(stdout).toBe(datasetteMetadata("night"));
    const { databases } = JSON.parse(stdout);
    expect(Object.keys(databases)).toEqual(["night"]);
    for (const { name, meaning } of viewList)
      expect(databases.night.tables[name]).toEqual({ description: `${meaning}.`, columns: meaningsOf(name) });
    expect(databases.night.tables.documentation.hidden).toBeUndefined();
  });

  test("hides what is inside", () => {
    const { tables } = JSON.parse(datasetteMetadata("night")).databases.night;
    const inside = Object.entries(tables).filter(([name]) => name.startsWith("_"));
    expect(inside.length).toBeGreaterThan(50);
    const tablesOfAll = new Set<string>([...tableList.map(({ name }) => name), "__drizzle_migrations"]);
    for (const [name, about] of inside) expect(about, name).toEqual(tablesOfAll.has(name) ? { hidden: true } : { allow: false });
    expect(inside.map(([name]) => name)).toEqual(expect.arrayContaining(["_version_times", "_snapshots_text", "_all_snapshots"]));
  });

  test("takes the database's name from the default where none is given", async () => {
    expect((await runCli(["schema", "--format", "datasette"])).stdout).toBe(datasetteMetadata("movedex"));
  });
});

describe("movedex schema --format dbt", () => {
  test("gives each public view as a source, as YAML", async () => {
    const { stdout, code } = await runCli(["schema", "--format", "dbt", "--schema", 'archive\'s: "own"']);
    expect(code).toBe(0);
    expect(parse(stdout)).toEqual({
      version: 2,
      sources: [
        {
          name: "movedex",
          schema: 'archive\'s: "own"',
          description: expect.any(String),
          tables: viewList.map(({ name, meaning }) => ({
            name,
            description: `${meaning}.`,
            columns: Object.entries(meaningsOf(name)).map(([column, description]) => ({
              name: column,
              description,
              ...(keyOf(name)?.includes(column) && !description.includes("null") ? { data_tests: ["not_null"] } : {}),
            })),
          })),
        },
      ],
    });
  });

  test("has nothing in it that dbt would take for a template", () => {
    expect(dbtSources("movedex")).not.toMatch(/\{[{%#]/);
  });
});
