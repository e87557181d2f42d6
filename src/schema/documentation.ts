import { hangingText } from "../base/hanging-text.ts";
import { kinds } from "./kinds.ts";
import { tableList } from "./tables/tables.ts";
import { viewList } from "./views/views.ts";

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
  ...viewList.map(({ name, meaning, columns }) => document(name, "view", meaning, columns, ({ kind }) => kinds[kind].type)),
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

export type Wanted = { readonly kind: "view" | "table" } | { readonly name: string };

export function chooseRelations(wanted: Wanted): readonly RelationDocument[] {
  return relations.filter((relation) => ("name" in wanted ? relation.name === wanted.name : relation.kind === wanted.kind));
}

export function relationsMarkdown(chosen: readonly RelationDocument[], level = 4): string {
  return chosen.map((one) => `${"#".repeat(level)} \`${one.name}\`\n\n${one.meaning}.\n\n${markdownTable(one.columns)}`).join("\n\n");
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
  return `${[hangingText(`${name}: `, meaning, width, 2), ...lines].join("\n")}\n`;
}

function markdownTable(columns: readonly ColumnDocument[]): string {
  return markdownRows(
    ["column", "type", "meaning"],
    columns.map(({ column, type, meaning }) => [`\`${column}\``, type, meaning]),
  );
}

/** Rows as a Markdown table. Bars inside cells are escaped. */
export function markdownRows(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}
