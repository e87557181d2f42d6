import { judgedTables } from "./capabilities/changes/tables.ts";
import { sourceTables } from "./capabilities/import/tables.ts";
import { watchTables } from "./capabilities/watch/tables.ts";
import type { TableData } from "./core/db/schema/table.ts";

/**
 * The tables that capabilities bring, by the names of these; their views are in `capability-views.ts`. A table may refer to one of the
 * core, which refers to none of these. Where a capability is taken out, a new database has none of its tables; an older one keeps them.
 */
export const capabilityTables: Readonly<Record<string, Readonly<Record<string, TableData>>>> = {
  // It has views alone, and so has `uses`.
  backfill: {},
  changes: judgedTables,
  import: sourceTables,
  uses: {},
  watch: watchTables,
};
