import { relations } from "./documentation.ts";
import type { Dialect } from "./sql/sql.ts";
import { internalViews } from "./views/internal.ts";
import { viewList } from "./views/views.ts";

export type ViewStatement = { readonly name: string; readonly create: string };

export const viewNames: readonly string[] = [...internalViews, ...viewList].map(({ name }) => name);

/** What makes every view in an engine's dialect, each on one line, as drizzle-kit reads them; in an order in which they can be made. */
export function viewStatements(dialect: Dialect): readonly ViewStatement[] {
  return [...internalViews, ...viewList].map(({ name, select }) => ({
    name,
    create: `CREATE VIEW ${name} AS ${select
      .in(dialect)
      .trim()
      .replaceAll(/\s*\n\s*/g, " ")}`,
  }));
}

/** The rows of the table `documentation`: every column of every view and table. */
export function documentationRows(): readonly (readonly unknown[])[] {
  return relations.flatMap(({ columns }) => columns.map((column) => Object.values(column)));
}

/** Whether rows of the table `documentation`, in any order, are what this movedex writes there. */
export function isDocumentation(rows: readonly (readonly unknown[])[]): boolean {
  const texts = (list: readonly (readonly unknown[])[]) => list.map((row) => JSON.stringify(row.map(String))).sort();
  return texts(rows).join("\n") === texts(documentationRows()).join("\n");
}
