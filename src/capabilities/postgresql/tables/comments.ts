import { tableList } from "../../../core/db/schema/tables/tables.ts";
import { internalViews, viewList } from "../../../core/db/schema/views/views.ts";
import { contractSentences } from "../../schema/contract.ts";

type Commented = {
  readonly name: string;
  readonly meaning: string;
  readonly columns: Readonly<Record<string, { readonly meaning: string }>>;
};

/** The table that migrations are recorded in. It is no part of the table data: a file has drizzle's own. */
const migrations: Commented = {
  name: "_migrations",
  meaning: "Migrations that the tables have had",
  columns: {
    id: { meaning: "number of the migration, from 1" },
    tag: { meaning: "name of the migration" },
    applied_at: { meaning: "when it was done" },
  },
};

/** The statements that give the server the meaning of every view, table and column, where psql's `\d+` and other tools show it. */
export function commentStatements(): readonly string[] {
  const views = [...internalViews, ...viewList];
  return [...views.flatMap((view) => comments("VIEW", view)), ...[...tableList, migrations].flatMap((table) => comments("TABLE", table))];
}

function comments(kind: "VIEW" | "TABLE", { name, meaning, columns }: Commented): string[] {
  return [
    `COMMENT ON ${kind} ${name} IS ${quotedText([meaning, ...contractSentences(name)].join(". "))}`,
    ...Object.entries(columns).map(([column, about]) => `COMMENT ON COLUMN ${name}.${column} IS ${quotedText(about.meaning)}`),
  ];
}

function quotedText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
