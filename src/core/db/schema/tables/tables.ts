import type { TableData } from "../table.ts";
import { contentTables, documentationTables, searchTables, sourceTables } from "./content.ts";
import { derivedTables, judgedTables } from "./derived.ts";
import { timeTables, traceTables } from "./time.ts";
import { watchTables } from "./watch.ts";
import { workTables } from "./work.ts";

/** Every table of a movedex database by its name without the underscore; referred-to tables come before those that refer to them. */
export const tables = {
  ...contentTables,
  ...derivedTables,
  ...judgedTables,
  ...searchTables,
  ...timeTables,
  ...workTables,
  ...traceTables,
  ...sourceTables,
  ...watchTables,
  ...documentationTables,
} as const;

export const tableList: readonly TableData[] = Object.values(tables);

/** A table by its name in the database; undefined when there is none. */
export function findTable(name: string): TableData | undefined {
  return tableList.find((table) => table.name === name);
}
