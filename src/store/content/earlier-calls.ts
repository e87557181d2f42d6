import { sql } from "../../schema/sql/sql.ts";
import type { Transaction } from "../engine/engine.ts";
import type { CallRow } from "./call-rows.ts";
import { ITEMS, type Numbered } from "./stored-rows.ts";

/** What is stored of the calls of a module's bytecode: the number of that bytecode, and the rows. */
export type EarlierCalls = { readonly id: number; readonly rows: readonly Numbered<CallRow>[] };

const staged = { name: "staged_callers", columns: { module_id: { kind: "int" } } } as const;
const newest = sql`
  SELECT max(b.calls_id) AS id, x.module_id FROM staged_callers s JOIN abis x ON x.module_id = s.module_id
  JOIN bytecodes b ON b.abi_id = x.id AND b.calls_id IS NOT NULL GROUP BY x.module_id`;
const rowsOf = sql`
  SELECT n.module_id, n.id AS calls_id, i.id AS row_id, i.name, a.address, m.name AS module, i.callees
  FROM earlier_calls n JOIN call_parts r ON r.bytecode_id = n.id
  JOIN function_calls i ON i.id BETWEEN r.source_id * :items + r.first_place AND r.source_id * :items + r.last_place
  JOIN modules m ON m.id = i.module_id JOIN addresses a ON a.id = m.address_id
  ORDER BY n.module_id, r.position, i.id`;

/** The newest calls stored of each of these modules, by the number of the module. A module without any is left out. */
export async function readEarlierCalls(tx: Transaction, modules: readonly number[]): Promise<Map<number, EarlierCalls>> {
  const found = new Map<number, EarlierCalls & { readonly rows: Numbered<CallRow>[] }>();
  if (modules.length === 0) return found;
  await tx.stage(
    staged,
    modules.map((module) => [module]),
  );
  await tx.keep("earlier_calls", newest, {});
  for (const [module, calls, id, ...row] of await tx.all<[module: number, calls: number, id: number, ...row: CallRow]>(rowsOf, {
    items: ITEMS,
  })) {
    const known = found.get(module) ?? { id: calls, rows: [] };
    known.rows.push({ id, row });
    found.set(module, known);
  }
  return found;
}
