import { relations } from "./documentation.ts";
import { type Dialect, quotedText } from "./sql/sql.ts";
import { tableList } from "./tables/tables.ts";
import { internalViews } from "./views/internal.ts";
import { viewList } from "./views/views.ts";

export type ViewStatement = { readonly name: string; readonly create: string };

/** Every view, in an order in which they can be made. */
const views = [...internalViews, ...viewList];

export const viewNames: readonly string[] = views.map(({ name }) => name);

/** What makes every view in an engine's dialect, each on one line, as drizzle-kit reads them. */
export function viewStatements(dialect: Dialect): readonly ViewStatement[] {
  return views.map(({ name, select }) => ({
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

type Commented = {
  readonly name: string;
  readonly meaning: string;
  readonly columns: Readonly<Record<string, { readonly meaning: string }>>;
};

/** The tables that PostgreSQL's migrations are recorded in. It is no part of the table data: a file has drizzle's own. */
const migrations = {
  name: "_migrations",
  meaning: "Migrations that the tables have had",
  columns: {
    id: { meaning: "number of the migration; 0: the row that a migration locks" },
    tag: { meaning: "name of the migration" },
    applied_at: { meaning: "when it was done" },
  },
};

/** The statements that give PostgreSQL the meaning of every view, table and column, where psql's `\d+` and other tools show it. */
export function commentStatements(): readonly string[] {
  return [...views.flatMap((view) => comments("VIEW", view)), ...[...tableList, migrations].flatMap((table) => comments("TABLE", table))];
}

function comments(kind: "VIEW" | "TABLE", { name, meaning, columns }: Commented): string[] {
  return [
    `COMMENT ON ${kind} ${name} IS ${quotedText(meaning)}`,
    ...Object.entries(columns).map(([column, about]) => `COMMENT ON COLUMN ${name}.${column} IS ${quotedText(about.meaning)}`),
  ];
}
