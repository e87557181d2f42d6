import { type Check, type Damage, inSlice, type Slice } from "../../engine/check.ts";
import type { Integer, Session } from "../../engine/engine.ts";
import { type Sql, sql } from "../../schema/sql/sql.ts";

/** Rows that are written only together with what refers to them: by table, those that nothing does. */
const lostRows: Readonly<Record<string, (isLooked: Sql) => Sql>> = {
  _abis: (isLooked) => sql`SELECT t.id FROM _abis t WHERE ${isLooked} AND NOT EXISTS (SELECT 1 FROM _bytecodes b WHERE b.abi_id = t.id)`,
  _functions: (isLooked) =>
    sql`SELECT t.id FROM _functions t WHERE ${isLooked} AND NOT EXISTS (SELECT 1 FROM _abi_functions l WHERE l.function_id = t.id)`,
  _structs: (isLooked) =>
    sql`SELECT t.id FROM _structs t WHERE ${isLooked} AND NOT EXISTS (SELECT 1 FROM _abi_structs l WHERE l.struct_id = t.id)`,
  _error_maps: (isLooked) =>
    sql`SELECT t.id FROM _error_maps t WHERE ${isLooked} AND NOT EXISTS (SELECT 1 FROM _abis x WHERE x.error_map_id = t.id)`,
  _error_codes: (isLooked) =>
    sql`SELECT t.id FROM _error_codes t WHERE ${isLooked} AND NOT EXISTS (SELECT 1 FROM _error_map_codes x WHERE x.error_code_id = t.id)`,
  _called_functions: (isLooked) =>
    sql`SELECT t.id FROM _called_functions t WHERE ${isLooked} AND NOT EXISTS (SELECT 1 FROM _function_calls x WHERE x.called_id = t.id)`,
  _types: (isLooked) => sql`SELECT t.id FROM _types t WHERE ${isLooked}
    AND NOT EXISTS (SELECT 1 FROM _function_params x WHERE x.type_id = t.id)
    AND NOT EXISTS (SELECT 1 FROM _function_returns x WHERE x.type_id = t.id)
    AND NOT EXISTS (SELECT 1 FROM _struct_fields x WHERE x.type_id = t.id)`,
  // Names stay where they are while rows are made anew.
  _modules: (
    isLooked,
  ) => sql`SELECT t.id FROM _modules t WHERE ${isLooked} AND NOT EXISTS (SELECT 1 FROM _bytecodes WHERE derived_by IS NULL)
    EXCEPT SELECT module_id FROM _abis EXCEPT SELECT module_id FROM _type_structs EXCEPT SELECT module_id FROM _abi_friends
    EXCEPT SELECT module_id FROM _abi_dependencies EXCEPT SELECT module_id FROM _called_functions`,
};

/** Rows that nothing refers to. */
export function orphanCheck(session: Session, slice: Slice): Check {
  return {
    name: "tables for rows that nothing refers to",
    total: async () => Object.keys(lostRows).length,
    steps: async function* () {
      for (const [table, select] of Object.entries(lostRows)) {
        const lost = await session.all<[Integer]>(sql`${select(inSlice(sql`t.id`, slice))} LIMIT 100`);
        yield lost.map(([id]): Damage => ({ table, row: `${id}`, problem: "nothing refers to it" }));
      }
    },
  };
}
