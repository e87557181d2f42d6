import type { Database } from "better-sqlite3";
import { type Check, type Damage, inSlice, type Slice } from "./check.ts";

/** What refers to the rows of a table that nothing would write for itself: by table, the columns that name them. */
const referrers: Readonly<Record<string, readonly (readonly [table: string, column: string])[]>> = {
  abis: [["bytecodes", "abi_id"]],
  functions: [["abi_functions", "function_id"]],
  structs: [["abi_structs", "struct_id"]],
  error_codes: [["abi_error_codes", "error_code_id"]],
  types: [
    ["function_params", "type_id"],
    ["function_returns", "type_id"],
    ["fields", "type_id"],
  ],
  modules: [
    ["abis", "module_id"],
    ["type_structs", "module_id"],
    ["abi_friends", "module_id"],
    ["abi_dependencies", "module_id"],
  ],
};

const SHOWN_MAX = 100;

/** Rows that are written only together with what refers to them, and that nothing refers to. */
export function orphanCheck(database: Database, slice: Slice): Check {
  const questions = Object.entries(referrers).map(([table, columns]) => {
    const used = columns.map(([from, column]) => `SELECT ${column} FROM ${from} WHERE ${column} IS NOT NULL`).join(" UNION ALL ");
    const sql = `SELECT id FROM ${table} WHERE ${inSlice("id", slice)} AND id NOT IN (${used}) LIMIT ${SHOWN_MAX}`;
    return { table, lost: database.prepare<[], bigint>(sql).pluck() };
  });
  return {
    name: "tables for rows that nothing refers to",
    total: () => questions.length,
    steps: function* () {
      for (const { table, lost } of questions) {
        yield lost.all().map((id): Damage => ({ table, row: `${id}`, problem: "nothing refers to it" }));
      }
    },
  };
}
