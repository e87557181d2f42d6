import { relations } from "./documentation.ts";
import { asMoment, withoutTimestamps } from "./sql/functions.ts";
import type { Dialect } from "./sql/sql.ts";
import type { ViewData } from "./view.ts";
import { internalViews, viewList } from "./views/views.ts";

export type ViewStatement = { readonly name: string; readonly create: string };

/** Every view, in an order in which they can be made. */
const views = [...internalViews, ...viewList];

/** The names of an engine's views, or of a file's: that has all that a server has, and views of text beside. */
export function viewNames(dialect: Dialect = "sqlite"): readonly string[] {
  return viewStatements(dialect).map(({ name }) => name);
}

/** What makes every view in an engine's dialect, each on one line, as drizzle-kit reads them. */
export function viewStatements(dialect: Dialect): readonly ViewStatement[] {
  return views.flatMap((view) => {
    const select = view.select.in(dialect);
    return dialect === "sqlite" && isText(view)
      ? [statement(`_${view.name}_text`, withoutTimestamps(select)), typedView(view)]
      : [statement(view.name, select)];
  });
}

function statement(name: string, select: string): ViewStatement {
  return { name, create: `CREATE VIEW ${name} AS ${select.trim().replaceAll(/\s*\n\s*/g, " ")}` };
}

/**
 * Whether DuckDB takes all columns of a view for text. It reads views of a file by its own parser, and its functions for dates are others
 * than SQLite's. A view that looks text up in such a view says its types itself.
 */
function isText(view: ViewData): boolean {
  return viewList.includes(view) && view.select.in("sqlite").includes("strftime(");
}

/** A view over one of text, which says the types of its columns. */
function typedView({ name, columns }: ViewData): ViewStatement {
  const typed = Object.entries(columns).map(([column, { kind }]) => {
    const type = { int: "bigint", version: "bigint", bool: "boolean" }[kind as string];
    const term = type === undefined ? asMoment(column).in("sqlite") : `CAST(${column} AS ${type})`;
    return type === undefined && kind !== "time" ? column : `${term} AS ${column}`;
  });
  return statement(name, `SELECT ${typed.join(", ")} FROM _${name}_text`);
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
