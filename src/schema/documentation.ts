import { kinds } from "./kinds.ts";
import { tableList } from "./tables.ts";
import { viewList } from "./views.ts";

/** One column of the documentation: of a view, which is a contract, or of a table behind the views. */
export type ColumnDocument = {
  readonly relation: string;
  readonly kind: "view" | "table";
  readonly position: number;
  readonly column: string;
  readonly type: string;
  readonly meaning: string;
};

/** A view or table with its columns, for the generators below and for the database's own documentation. */
export type RelationDocument = {
  readonly name: string;
  readonly kind: "view" | "table";
  readonly meaning: string;
  readonly columns: readonly ColumnDocument[];
};

/** All views and then all tables, each in its order. `…_latest` views are left to a sentence: they repeat the columns of `…_at`. */
export const relations: readonly RelationDocument[] = [
  ...viewList.map(({ name, meaning, columns }) => document(name, "view", meaning, columns, (column) => column.type)),
  ...tableList.map(({ name, meaning, columns }) =>
    document(name, "table", meaning, columns, ({ kind, nullable }) => `${kinds[kind].meaning}${nullable === true ? ", or null" : ""}`),
  ),
];

function document<C extends { readonly meaning: string }>(
  name: string,
  kind: "view" | "table",
  meaning: string,
  columns: Readonly<Record<string, C>>,
  typeOf: (column: C) => string,
): RelationDocument {
  const rows = Object.entries(columns).map(([column, data], position) => ({
    relation: name,
    kind,
    position,
    column,
    type: typeOf(data),
    meaning: data.meaning,
  }));
  return { name, kind, meaning, columns: rows };
}

/** The README's section on tables: each view with its columns, then the tables behind them by name and meaning. */
export function schemaMarkdown(): string {
  const views = relations.filter(({ kind, name }) => kind === "view" && !name.endsWith("_latest"));
  const tables = relations.filter(({ kind }) => kind === "table");
  return [
    ...views.map((view) => `#### \`${view.name}\`\n\n${view.meaning}.\n\n${markdownTable(view.columns)}`),
    `#### Tables behind the views\n\nTheir columns: \`movedex schema --tables\`.\n\n${markdownRows(
      ["table", "meaning"],
      tables.map(({ name, meaning }) => [`\`${name}\``, meaning]),
    )}`,
  ].join("\n\n");
}

/** The text of `movedex schema`: views, or tables, or one of either by name; undefined when there is none of that name. */
export function schemaText(wanted: { readonly kind: "view" | "table" } | { readonly name: string }): string | undefined {
  const chosen = relations.filter((relation) => ("name" in wanted ? relation.name === wanted.name : relation.kind === wanted.kind));
  return chosen.length === 0 ? undefined : chosen.map(relationText).join("\n");
}

function relationText({ name, meaning, columns }: RelationDocument): string {
  const nameWidth = Math.max(...columns.map(({ column }) => column.length));
  const typeWidth = Math.max(...columns.map(({ type }) => type.length));
  const lines = columns.map(({ column, type, meaning: about }) => `  ${column.padEnd(nameWidth)}  ${type.padEnd(typeWidth)}  ${about}`);
  return `${name}: ${meaning}\n${lines.join("\n")}\n`;
}

function markdownTable(columns: readonly ColumnDocument[]): string {
  return markdownRows(
    ["column", "type", "meaning"],
    columns.map(({ column, type, meaning }) => [`\`${column}\``, type, meaning]),
  );
}

function markdownRows(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}
