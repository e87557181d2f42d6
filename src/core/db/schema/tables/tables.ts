import { capabilityTables } from "../../../../capability-tables.ts";
import type { TableData } from "../table.ts";
import { contentTables, documentationTables, observerTables, searchTables } from "./content.ts";
import { countTables, derivedTables } from "./derived.ts";
import { timeTables, traceTables } from "./time.ts";
import { workTables } from "./work.ts";

/** What capabilities bring: none of the core's tables refers to it. */
export const broughtTables: readonly TableData[] = Object.values(capabilityTables).flatMap((tables) => Object.values(tables));

/** Every table of a movedex database; referred-to tables come before those that refer to them. */
export const tableList: readonly TableData[] = [
  ...[contentTables, derivedTables, countTables, searchTables, timeTables, workTables, traceTables, observerTables].flatMap(Object.values),
  ...broughtTables,
  ...Object.values(documentationTables),
];

/** A table by its name in the database; undefined when there is none. */
export function findTable(name: string): TableData | undefined {
  return tableList.find((table) => table.name === name);
}
