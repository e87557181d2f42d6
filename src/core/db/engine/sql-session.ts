import type { Cell } from "../../base/cell.ts";
import { printable } from "../../base/printable.ts";
import { countRowless } from "../schema/sql/predicates.ts";
import { parsePlaceholders } from "../schema/sql/sql.ts";
import { StoreError } from "./errors.ts";

/** Values for placeholders in their order (SQLite: `?`, PostgreSQL: `$1`), or for `:name` by name. */
export type SqlParameters = readonly Cell[] | Readonly<Record<string, Cell>>;

/** An answer: the names of its columns, and its rows as they are read. Stopping early costs nothing more. */
export type QueryResult = { readonly columns: readonly string[]; readonly rows: AsyncIterable<readonly Cell[]> };

export type QueryOptions = {
  /** How long a server may work on one statement. */
  readonly timeoutMs?: number | undefined;
};

/** Read-only access to a database for the user's own SQL. */
export type SqlSession = {
  /**
   * Begins one SELECT (or another statement that only reads). SQLite works inside the process and cannot be interrupted
   * between two rows; for a time limit, run this in a process that can be ended. A server stops a statement by itself.
   * With `isPlan` the statement to a file is held to the same rules and not run: the rows say how SQLite would.
   * @throws StoreError `MOVEDEX_STORE_QUERY` when the text is not one reading statement, here or while rows are read
   */
  readonly query: (sql: string, parameters?: SqlParameters, isPlan?: boolean) => Promise<QueryResult>;
  readonly close: () => Promise<void>;
};

export const NO_QUERY = "give one statement that reads rows: SELECT, WITH or VALUES. Nothing was done";

/** How many stored bytecodes wait for their rows: views of what is inside do not show them yet. Alike on all engines. */
export const UNDERIVED = countRowless.in("sqlite");

/** The first snapshot was begun and is not sealed yet, or none was begun. */
export type Emptiness = "unfinished" | "nothing";

/** Why the views of the ledger are empty, an `Emptiness`; null once a snapshot is sealed. */
export const EMPTINESS =
  "SELECT CASE WHEN EXISTS (SELECT 1 FROM _all_snapshots WHERE status LIKE 'sealed%') THEN NULL WHEN EXISTS (SELECT 1 FROM _all_snapshots WHERE status = 'unsealed') THEN 'unfinished' ELSE 'nothing' END";

/** The first cell of what a question of ours gives. */
export async function cellOf({ query }: Pick<SqlSession, "query">, sql: string): Promise<Cell> {
  const [[cell = null] = []] = await Array.fromAsync((await query(sql)).rows);
  return cell;
}

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
