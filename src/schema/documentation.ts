import { markdownTable } from "../base/document/markdown.ts";
import { hangingText } from "../base/hanging-text.ts";
import type { ColumnData } from "./column.ts";
import { kinds } from "./kinds.ts";
import { tableList } from "./tables/tables.ts";
import { viewList } from "./views/views.ts";

/** A column. Its members, in this order, are the columns of the table `documentation`. */
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
  ...viewList.map((view) => document("view", view, ({ kind }) => kinds[kind].type)),
  ...tableList.map((table) => document("table", table, ({ kind, nullable }) => kinds[kind].meaning + (nullable ? ", or null" : ""))),
];

type Described = { readonly name: string; readonly meaning: string; readonly columns: Readonly<Record<string, ColumnData>> };

function document(kind: "view" | "table", relation: Described, typeOf: (column: ColumnData) => string): RelationDocument {
  const { name, meaning, columns } = relation;
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
  return `${[hangingText(`${name}: `, meaning, width, 2), ...lines].join("\n")}\n`;
}
