import { hangingText } from "../../core/base/printable.ts";
import { kinds } from "../../core/db/schema/column.ts";
import { type ColumnDocument, type RelationDocument, relations } from "../../core/db/schema/documentation.ts";
import { tableList } from "../../core/db/schema/tables/tables.ts";
import { isNullable, type ViewColumnData, type ViewColumns } from "../../core/db/schema/view.ts";
import { viewNames } from "../../core/db/schema/view-statements.ts";
import { viewList } from "../../core/db/schema/views/views.ts";
import { type Contract, contractOf, contractSentences } from "./contract.ts";

export type ListedRelation = ReturnType<typeof listRelations>[number];

/** A relation a line, or a view `…_at` together with its twins: `…_latest`, which has the same columns, and `…_history`. */
export function listRelations(kind: "view" | "table") {
  const chosen = relations.filter((relation) => relation.kind === kind && !isTwin(relation.name));
  return chosen.map(({ name, meaning }) => ({
    name,
    twin: name.endsWith("_at") ? name.replace(/_at$/, "_latest") : null,
    kind,
    meaning,
    /** Of a view: what tells its rows apart, which columns are never null, and which hold the key of another view. */
    contract: contractOf(name) ?? null,
  }));
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
  const at = name.replace(/_(latest|history)$/, "_at");
  return at !== name && relations.some((one) => one.name === at);
}

/** What to choose by; `schema NAME` prints the rest too. That they are of each snapshot is said once above the views that are. */
function firstClause(meaning: string): string {
  return (meaning.split(/[:;] /, 1)[0] ?? meaning).replace(/, at each sealed snapshot$/, "");
}

/** Relations in Markdown, each under a heading of a level, with its columns as a table. */
export function relationsMarkdown(chosen: readonly RelationDocument[], level: number): string {
  const parts = chosen.map(({ name, meaning: about, columns }) => {
    const rows = columns.map((column) => [`\`${column.column}\``, typeText(column), column.meaning]);
    return `${"#".repeat(level)} \`${name}\`\n\n${[about, ...contractSentences(name, "`")].join(".\n\n")}.\n\n${markdownTable(["column", "type", "meaning"], rows)}`;
  });
  return parts.join("\n").trimEnd();
}

/** Relations as text for a terminal of a given width: meanings that are too long go on below. */
export function relationsText(chosen: readonly RelationDocument[], width = Number.POSITIVE_INFINITY): string {
  return chosen.map((relation) => relationText(relation, width)).join("\n");
}

function relationText({ name, meaning, columns }: RelationDocument, width: number): string {
  const nameWidth = Math.max(...columns.map(({ column }) => column.length));
  const typeWidth = Math.max(...columns.map((column) => typeText(column).length));
  const lines = columns.map((column) =>
    hangingText(`  ${column.column.padEnd(nameWidth)}  ${typeText(column).padEnd(typeWidth)}  `, column.meaning, width),
  );
  const facts = contractSentences(name).map((sentence) => hangingText("  ", sentence, width, 4));
  return `${[hangingText(`${name}: `, meaning, width, 2), ...facts, ...lines].join("\n")}\n`;
}

/** The type of a column, and whether it may be null. */
export function typeText({ kind, type, meaning }: ColumnDocument): string {
  return kind === "view" && isNullable({ meaning }) ? `${type}, or null` : type;
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
  for (const name of viewNames()) if (name.startsWith("_")) tables[name] = { allow: false };
  return `${JSON.stringify({ title: "movedex", description: about, databases: { [database]: { description: about, tables } } }, null, 2)}\n`;
}

/**
 * The public views of a PostgreSQL schema as dbt sources, with types, their contracts as tests, and the night's freshness.
 * Source: docs.getdbt.com/reference/source-properties
 */
export function dbtSources(schema: string): string {
  // A text of JSON is one of YAML 1.2 too.
  const tables = viewList.map(({ name, meaning, columns }) => ({
    name,
    description: `${meaning}.`,
    ...(name === "snapshots" ? freshness : {}),
    data_tests: dbtTests(name, columns),
    columns: Object.entries(columns).map(([column, { kind, meaning: words }]) => ({
      name: column,
      description: words,
      data_type: kinds[kind].postgresql,
      ...(contractOf(name)?.notNull.includes(column) ? { data_tests: ["not_null"] } : {}),
    })),
  }));
  const head = `version: 2\nsources:\n  - name: movedex\n    schema: ${JSON.stringify(schema)}\n    description: ${about}\n    tables:\n`;
  return head + tables.map((table) => yamlItem(table, 6)).join("");
}

/** A night is missed, and then another. An older snapshot that is sealed today, or filled in, makes nothing fresh. */
const freshness = {
  loaded_at_field: "ledger_time",
  freshness: { warn_after: { count: 26, period: "hour" }, error_after: { count: 50, period: "hour" } },
};

/** That the key is one, and that what is referred to is there. dbt takes an expression for a column; no column of a row may be null. */
function dbtTests(view: string, columns: ViewColumns): readonly object[] {
  const { key, references } = contractOf(view) as Contract;
  const row = (names: readonly string[]): string => (names.length === 1 ? (names[0] as string) : `ROW(${names.join(", ")})`);
  const given = key.map((name) => (isNullable(columns[name] as ViewColumnData) ? `coalesce(${name}, '')` : name));
  return [
    { unique: { column_name: row(given) } },
    ...references.map(({ columns: held, parent }) => ({
      relationships: {
        arguments: { column_name: row(held), to: `source('movedex', '${parent}')`, field: row(contractOf(parent)?.key ?? held) },
      },
    })),
  ];
}

/** An item of a list in YAML: a member of it a line, of a list a line each, and what is inside as JSON. */
function yamlItem(item: Readonly<Record<string, unknown>>, indent: number): string {
  const space = " ".repeat(indent + 2);
  const lines = Object.entries(item).map(([name, value]) =>
    Array.isArray(value) && typeof value[0] === "object"
      ? `${space}${name}:\n${value.map((one) => `${space}  - ${JSON.stringify(one)}\n`).join("")}`
      : `${space}${name}: ${JSON.stringify(value)}\n`,
  );
  return `${" ".repeat(indent)}- ${lines.join("").trimStart()}`;
}

/** A table with these columns; the cells are Markdown already. */
export function markdownTable(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |\n`;
  return line(columns) + line(columns.map(() => "---")) + rows.map(line).join("");
}
