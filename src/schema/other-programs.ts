import { relations } from "./documentation.ts";
import { tableList } from "./tables/tables.ts";
import { viewNames } from "./view-statements.ts";
import { keyOf } from "./views/keys.ts";

const about = "Modules and accounts of a Move ledger, as movedex archived them";
/** drizzle-orm's own table in a file. */
const MIGRATIONS = "__drizzle_migrations";

/**
 * What Datasette takes as its metadata (docs.datasette.io/en/stable/metadata.html): the meaning of a file's views and of their columns.
 * Tables and views inside are hidden. `database` is the name that Datasette gives the file: `night` for `night.db`.
 */
export function datasetteMetadata(database: string): string {
  const tables: Record<string, unknown> = {};
  for (const { name, meaning, columns } of relations) {
    if (name.startsWith("_")) continue;
    const meanings = Object.fromEntries(columns.map((column) => [column.column, column.meaning]));
    tables[name] = { description: `${meaning}.`, columns: meanings };
  }
  for (const { name } of tableList) if (name.startsWith("_")) tables[name] = { hidden: true };
  tables[MIGRATIONS] = { hidden: true };
  // It hides tables alone; a view that nobody may ask is not listed either.
  for (const name of viewNames("sqlite")) if (name.startsWith("_")) tables[name] = { allow: false };
  return `${JSON.stringify({ title: "movedex", description: about, databases: { [database]: { description: about, tables } } }, null, 2)}\n`;
}

/** The public views of a PostgreSQL schema as dbt sources, with their columns. Source: docs.getdbt.com/reference/source-properties */
export function dbtSources(schema: string): string {
  const views = relations.filter(({ kind }) => kind === "view");
  // A text of JSON is one of YAML 1.2 too.
  const tables = views.flatMap(({ name, meaning, columns }) => [
    `      - name: ${JSON.stringify(name)}`,
    `        description: ${JSON.stringify(`${meaning}.`)}`,
    "        columns:",
    ...columns.flatMap(({ column, meaning: words }) => [
      `          - name: ${JSON.stringify(column)}`,
      `            description: ${JSON.stringify(words)}`,
      ...(keyOf(name)?.includes(column) && !/\bnull\b/.test(words) ? ["            data_tests: [not_null]"] : []),
    ]),
  ]);
  const head = [
    "version: 2",
    "sources:",
    "  - name: movedex",
    `    schema: ${JSON.stringify(schema)}`,
    `    description: ${about}`,
    "    tables:",
  ];
  return `${[...head, ...tables].join("\n")}\n`;
}
