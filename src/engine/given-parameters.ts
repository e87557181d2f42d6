import type { Cell } from "../base/cell.ts";
import { printable } from "../base/printable.ts";
import { parsePlaceholders } from "../schema/sql/parameters.ts";
import { StoreError } from "./errors.ts";
import type { SqlParameters } from "./query-door.ts";

/** @throws StoreError `MOVEDEX_STORE_QUERY` when a name in a statement has no value; values by place are the engine's matter */
export function assertGiven(sql: string, parameters: SqlParameters): void {
  if (Array.isArray(parameters) && parameters.length > 0) return;
  const missing = parsePlaceholders(sql).names.find((name) => (parameters as Readonly<Record<string, Cell>>)[name] === undefined);
  if (missing === undefined) return;
  const name = printable(missing, 80);
  throw new StoreError(
    "MOVEDEX_STORE_QUERY",
    `the query failed: there is no value for \`:${name}\`. Give it one: \`query --param ${name}=…\``,
  );
}
