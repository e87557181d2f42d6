import type { TableData } from "./table.ts";
import { contentTables } from "./tables-content.ts";
import { sourceTables } from "./tables-sources.ts";
import { timeTables } from "./tables-time.ts";
import { traceTables } from "./tables-trace.ts";
import { workTables } from "./tables-work.ts";

/** Every table of a movedex database by name; referred-to tables come before those that refer to them. */
export const tables = { ...contentTables, ...workTables, ...timeTables, ...traceTables, ...sourceTables } as const;

/** The tables in that order. */
export const tableList: readonly TableData[] = Object.values(tables);
