import { chooseRelations } from "./documentation.ts";

/** The public views of a PostgreSQL schema as dbt sources, with their columns. Source: docs.getdbt.com/reference/source-properties */
export function dbtSources(schema: string): string {
  const tables = chooseRelations({ kind: "view" }).flatMap(({ name, meaning, columns }) => [
    `      - name: ${quoted(name)}`,
    `        description: ${quoted(`${meaning}.`)}`,
    "        columns:",
    ...columns.flatMap(({ column, meaning: about }) => [
      `          - name: ${quoted(column)}`,
      `            description: ${quoted(about)}`,
    ]),
  ]);
  const head = [
    "version: 2",
    "sources:",
    "  - name: movedex",
    `    schema: ${quoted(schema)}`,
    "    description: Modules and accounts of a Move ledger, as movedex archived them",
    "    tables:",
  ];
  return `${[...head, ...tables].join("\n")}\n`;
}

/** A text of JSON, which is one of YAML 1.2 too. */
function quoted(text: string): string {
  return JSON.stringify(text);
}
