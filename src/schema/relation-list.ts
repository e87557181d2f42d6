import { markdownTable } from "../base/document.ts";
import { hangingText } from "../base/printable.ts";
import { type RelationDocument, relations } from "./documentation.ts";
import { tableList } from "./tables/tables.ts";
import { viewNames } from "./view-statements.ts";
import { keyOf } from "./views/views.ts";

/** A line of the list: a relation, or a view `…_at` together with its twins: `…_latest`, which has the same columns, and `…_history`. */
export type ListedRelation = {
  readonly name: string;
  readonly twin: string | null;
  readonly kind: "view" | "table";
  readonly meaning: string;
};

export function listRelations(kind: "view" | "table"): readonly ListedRelation[] {
  const chosen = relations.filter((relation) => relation.kind === kind && !isTwin(relation.name));
  return chosen.map(({ name, meaning }) => ({ name, twin: name.endsWith("_at") ? name.replace(/_at$/, "_latest") : null, kind, meaning }));
}

/** The list as text for a terminal of a given width: views with a row set for each snapshot first, and how to see columns last. */
export function relationListText(list: readonly ListedRelation[], width: number): string {
  const nameWidth = Math.max(...list.map(({ name }) => name.length));
  const lines = (some: readonly ListedRelation[]): string[] =>
    some.map(({ name, meaning }) => hangingText(`  ${name.padEnd(nameWidth)}  `, firstClause(meaning), width));
  const perSnapshot = list.filter(({ twin }) => twin !== null);
  const others = list.filter(({ twin }) => twin === null);
  if (perSnapshot.length === 0) return `${[...lines(others), "", "Columns of one: movedex schema NAME"].join("\n")}\n`;
  return `${[
    hangingText(
      "",
      "Views of the ledger. Each …_at has rows for every sealed snapshot; …_latest, with the same columns, for the newest that covers the account; " +
        "…_history (coverage_history for covered_at) a row for each stretch of snapshots that show the same:",
      width,
    ),
    ...lines(perSnapshot),
    "",
    "Views of changes and of the archive itself:",
    ...lines(others),
    "",
    "Columns of one: movedex schema NAME       of all: movedex schema --all",
    "Tables behind the views: movedex schema --tables",
  ].join("\n")}\n`;
}

/** Whether a view repeats the columns of one in `_at`. */
export function isTwin(name: string): boolean {
  return name.endsWith("_latest") || relations.some((one) => one.name.endsWith("_at") && one.name.replace(/_at$/, "_history") === name);
}

/** What to choose by; `schema NAME` prints the rest too. That they are of each snapshot is said once above the views that are. */
function firstClause(meaning: string): string {
  return (meaning.split(/[:;] /, 1)[0] ?? meaning).replace(/, at each sealed snapshot$/, "");
}

/** Relations in Markdown, each under a heading of a level, with its columns as a table. */
export function relationsMarkdown(chosen: readonly RelationDocument[], level: number): string {
  const parts = chosen.map(({ name, meaning: about, columns }) => {
    const rows = columns.map(({ column, type, meaning }) => [`\`${column}\``, type, meaning]);
    return `${"#".repeat(level)} \`${name}\`\n\n${about}.\n\n${markdownTable(["column", "type", "meaning"], rows)}`;
  });
  return parts.join("\n").trimEnd();
}

/** Relations as text for a terminal of a given width: meanings that are too long go on below. */
export function relationsText(chosen: readonly RelationDocument[], width = Number.POSITIVE_INFINITY): string {
  return chosen.map((relation) => relationText(relation, width)).join("\n");
}

function relationText({ name, meaning, columns }: RelationDocument, width: number): string {
  const nameWidth = Math.max(...columns.map(({ column }) => column.length));
  const typeWidth = Math.max(...columns.map(({ type }) => type.length));
  const lines = columns.map(({ column, type, meaning: about }) =>
    hangingText(`  ${column.padEnd(nameWidth)}  ${type.padEnd(typeWidth)}  `, about, width),
  );
  const key = keyOf(name);
  const told = key === undefined ? [] : [hangingText("  key: ", key.join(", "), width)];
  return `${[hangingText(`${name}: `, meaning, width, 2), ...told, ...lines].join("\n")}\n`;
}

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
