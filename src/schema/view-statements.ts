import { type ColumnDocument, relations } from "./documentation.ts";
import type { Words } from "./sql/engine-words.ts";
import type { ViewData } from "./views/view.ts";
import { viewList } from "./views/views.ts";

/** The view that describes all others and the tables, itself left out. */
export const documentationView = {
  name: "documentation",
  meaning: "Every view and table with its columns and what they mean",
  columns: {
    relation: { type: "text", meaning: "name of the view or table" },
    kind: { type: "text", meaning: "view or table" },
    position: { type: "integer", meaning: "place of the column in it, from 0" },
    column_name: { type: "text", meaning: "name of the column" },
    type: { type: "text", meaning: "what its values are" },
    meaning: { type: "text", meaning: "what they mean" },
  },
} as const satisfies Omit<ViewData, "select">;

/** The statement that makes one view. */
export type ViewStatement = { readonly name: string; readonly create: string };

/**
 * What makes every public view in an engine's words, and the view `documentation` that describes them and the tables; in an order in
 * which they can be made. Each is one line that has `AS SELECT` in it: `drizzle-kit pull` understands no other of a file.
 */
export function viewStatements(words: Words): readonly ViewStatement[] {
  const made = [
    ...viewList.map(({ name, select }) => ({ name, select: select.in(words) })),
    { name: documentationView.name, select: documentation() },
  ];
  return made.map(({ name, select }) => ({ name, create: `CREATE VIEW ${name} AS ${select.replaceAll(/\s*\n\s*/g, " ")}` }));
}

/**
 * Each database holds this statement, so it says everything once: a column that several relations have in the same words, and the
 * columns of a `…_latest` view, which are those of its `…_at`.
 */
function documentation(): string {
  const names = new Set(viewList.map(({ name }) => name));
  const isTwin = (name: string): boolean => name.endsWith("_latest") && names.has(name.replace(/_latest$/, "_at"));
  const described = relations.filter(({ name }) => !isTwin(name));
  const texts = new Map<string, number>();
  const numberOf = ({ column, type, meaning }: ColumnDocument): number => {
    const text = [column, type, meaning].map(quote).join(",");
    const number = texts.get(text) ?? texts.size;
    texts.set(text, number);
    return number;
  };
  const places = described.flatMap(({ columns }, relation) => columns.map((column) => [relation, column.position, numberOf(column)]));
  const twins = [...names].filter(isTwin).map((name) => quote(name.replace(/_latest$/, "_at")));
  return `SELECT * FROM (WITH texts (number, column_name, type, meaning) AS (${values(Array.from(texts, ([text, number]) => [number, text]))}),
    relations (number, relation, kind) AS (${values(described.map(({ name, kind }, number) => [number, quote(name), quote(kind)]))}),
    places (relation, position, text) AS (${values(places)}),
    listed (relation, kind, position, column_name, type, meaning) AS (SELECT r.relation, r.kind, p.position, t.column_name, t.type, t.meaning
      FROM places p JOIN relations r ON r.number = p.relation JOIN texts t ON t.number = p.text)
    SELECT * FROM listed UNION ALL
    SELECT replace(relation, '_at', '_latest'), kind, position, column_name, type, meaning FROM listed WHERE relation IN (${twins.join(",")})) AS documentation`;
}

function values(rows: readonly (readonly (string | number)[])[]): string {
  return `VALUES ${rows.map((row) => `(${row.join(",")})`).join(",")}`;
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
