import { printable } from "../base/printable.ts";
import { StoreError } from "./errors.ts";

/**
 * For rows that become objects, which hold one value for a name. `instead` is what else one can do.
 * @throws StoreError `MOVEDEX_STORE_QUERY` when two columns have the same name
 */
export function requireDistinct(columns: readonly string[], instead = ""): void {
  const twice = columns.find((name, i) => columns.indexOf(name) !== i);
  if (twice === undefined) return;
  const count = columns.filter((name) => name === twice).length;
  throw new StoreError(
    "MOVEDEX_STORE_QUERY",
    `each column needs a name of its own, since rows become objects; ${count} columns are named \`${printable(twice, 80)}\`. Name them apart with AS${instead}`,
    { facts: { column: printable(twice, 80), count } },
  );
}
