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

function documentation(): string {
  const rows = relations
    .flatMap(({ columns }) => columns)
    .map(
      ({ relation, kind, position, column, type, meaning }) =>
        `(${[quote(relation), quote(kind), position, quote(column), quote(type), quote(meaning)].join(", ")})`,
    );
  return (
    "SELECT column1 AS relation, column2 AS kind, column3 AS position, column4 AS column_name, column5 AS type, column6 AS meaning " +
    `FROM (VALUES ${rows.join(", ")}) AS listed`
  );
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
