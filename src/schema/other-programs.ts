import { relations } from "./documentation.ts";
import { tableList } from "./tables/tables.ts";
import { internalViews } from "./views/internal.ts";

const about = "Modules and accounts of a Move ledger, as movedex archived them";
/** drizzle-orm's own table in a file. */
const MIGRATIONS = "__drizzle_migrations";

/**
 * What Datasette takes as its metadata (docs.datasette.io/en/stable/metadata.html): the meaning of a file's views and of their columns.
 * Tables and views inside are hidden. `database` is the name that Datasette gives the file: `night` for `night.db`.
 */
export function datasetteMetadata(database: string): string {
  const tables: Record<string, unknown> = {};
  for (const { name, meaning, columns } of relations) {
    if (name.startsWith("_")) continue;
    const meanings = Object.fromEntries(columns.map((column) => [column.column, column.meaning]));
    tables[name] = { description: `${meaning}.`, columns: meanings };
  }
  for (const { name } of tableList) if (name.startsWith("_")) tables[name] = { hidden: true };
  tables[MIGRATIONS] = { hidden: true };
  // It hides tables alone; a view that nobody may ask is not listed either.
  for (const { name } of internalViews) tables[name] = { allow: false };
  return `${JSON.stringify({ title: "movedex", description: about, databases: { [database]: { description: about, tables } } }, null, 2)}\n`;
}
