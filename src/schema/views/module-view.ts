import { type Sql, sql } from "../sql/sql.ts";
import type { StateSelect, StateView } from "./state-views.ts";
import { snapshotColumns, text, type ViewColumns } from "./view.ts";

// What is only looked up is joined by LEFT JOIN: a question that does not ask for it does not pay for it.
/** From a module to its bytecode. */
export const code = sql`JOIN _bytecodes b ON b.id = m.bytecode_id`;

/** From a module to its functions. `joins` come before the functions themselves, which leaves SQLite free to begin with any of them. */
export const functions = (joins = sql``): Sql =>
  sql`${code} JOIN _abi_functions l ON l.abi_id = b.abi_id ${joins} LEFT JOIN _functions f ON f.id = l.function_id`;

/** From a module to its structs, as `functions`. */
export const structs = (joins = sql``): Sql =>
  sql`${code} JOIN _abi_structs l ON l.abi_id = b.abi_id ${joins} LEFT JOIN _structs st ON st.id = l.struct_id`;

/** A view with rows for what modules have. Several selects are put together by UNION ALL. */
export function moduleView(
  name: string,
  meaning: string,
  columns: ViewColumns,
  ...selects: readonly Omit<StateSelect, "spans">[]
): StateView {
  return {
    name,
    meaning,
    columns: { ...snapshotColumns, module: text("name of the module", "m.name"), ...columns },
    selects: selects.map((select) => ({ spans: "modules", ...select })),
  };
}
