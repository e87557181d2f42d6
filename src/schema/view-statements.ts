import { relations } from "./documentation.ts";
import type { Words } from "./sql/engine-words.ts";
import { viewList } from "./views/views.ts";

/** The statement that makes one view. */
export type ViewStatement = { readonly name: string; readonly create: string };

/** What makes every public view in an engine's words, and the view `documentation` that describes them and the tables; in an order in which they can be made. */
export function viewStatements(words: Words): readonly ViewStatement[] {
  const made = [
    ...viewList.map(({ name, select }) => ({ name, select: select.in(words) })),
    { name: "documentation", select: documentation() },
  ];
  return made.map(({ name, select }) => ({ name, create: `CREATE VIEW ${name} AS ${select}` }));
}

/** A `…_latest` view has the columns of its `…_at`, whose text is kept once: a third of the statement, which each database holds. */
function documentation(): string {
  const names = new Set(viewList.map(({ name }) => name));
  const isTwin = (name: string): boolean => name.endsWith("_latest") && names.has(name.replace(/_latest$/, "_at"));
  const rows = relations
    .filter(({ name }) => !isTwin(name))
    .flatMap(({ columns }) => columns)
    .map(
      ({ relation, kind, position, column, type, meaning }) =>
        `(${[quote(relation), quote(kind), position, quote(column), quote(type), quote(meaning)].join(", ")})`,
    );
  const twins = [...names].filter(isTwin).map((name) => quote(name.replace(/_latest$/, "_at")));
  return (
    `WITH listed (relation, kind, position, column_name, type, meaning) AS (VALUES ${rows.join(", ")}) SELECT * FROM listed UNION ALL ` +
    `SELECT replace(relation, '_at', '_latest'), kind, position, column_name, type, meaning FROM listed WHERE relation IN (${twins.join(", ")})`
  );
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
