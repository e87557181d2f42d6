import { sql } from "../../schema/sql/sql.ts";
import { each } from "../../schema/sql/words.ts";
import type { Transaction } from "../engine/engine.ts";
import type { CallRow } from "./call-rows.ts";
import { ITEMS, type Numbered } from "./stored-rows.ts";

/** What is stored of the calls of a module's bytecode: the number of that bytecode, and the rows. */
export type EarlierCalls = { readonly id: number; readonly rows: readonly Numbered<CallRow>[] };

// Lists as JSON and no staged tables: in SQLite each temporary table makes every statement be prepared again.
const newest = sql`
  SELECT x.module_id, max(b.calls_id) AS id FROM ${each(":modules::json", "j")} JOIN _abis x ON x.module_id = CAST(j.value AS bigint)
  JOIN _bytecodes b ON b.abi_id = x.id AND b.calls_id IS NOT NULL GROUP BY x.module_id`;
const rowsOf = sql`
  SELECT n.id AS calls_id, i.id AS row_id, i.name, i.callees FROM (SELECT CAST(j.value AS bigint) AS id FROM ${each(":calls::json", "j")}) AS n
  JOIN _call_parts r ON r.bytecode_id = n.id
  JOIN _function_calls i ON i.id BETWEEN r.source_id * :items + r.first_place AND r.source_id * :items + r.last_place
  ORDER BY n.id, r.position, i.id`;

/** The newest calls stored of each of these modules, by the number of the module. A module without any is left out. */
export async function readEarlierCalls(tx: Transaction, modules: readonly number[]): Promise<Map<number, EarlierCalls>> {
  if (modules.length === 0) return new Map();
  const newestOf = await tx.all<[module: number, calls: number]>(newest, { modules: JSON.stringify(modules) });
  if (newestOf.length === 0) return new Map();
  const rows = new Map<number, Numbered<CallRow>[]>(newestOf.map(([, calls]) => [calls, []]));
  const values = { calls: JSON.stringify([...rows.keys()]), items: ITEMS };
  for (const [calls, id, ...row] of await tx.all<[calls: number, id: number, ...row: CallRow]>(rowsOf, values)) {
    rows.get(calls)?.push({ id, row });
  }
  return new Map(newestOf.map(([module, calls]) => [module, { id: calls, rows: rows.get(calls) ?? [] }]));
}
