import { type Sql, sql } from "../../schema/sql/sql.ts";
import type { Integer, Session } from "../engine/engine.ts";
import { type Check, type Damage, inSlice, type Slice } from "./check.ts";

const inNoPart = (kind: Sql): Sql =>
  sql`NOT EXISTS (SELECT 1 FROM _abi_parts r WHERE r.source_id = t.id >> 16 AND r.kind = ${kind} AND (t.id & 65535) BETWEEN r.first_place AND r.last_place)`;

/** Rows that are written only together with what refers to them: by table, those that nothing does. */
const lostRows: Readonly<Record<string, (isLooked: Sql) => Sql>> = {
  abis: (isLooked) => sql`SELECT t.id FROM _abis t WHERE ${isLooked} AND NOT EXISTS (SELECT 1 FROM _bytecodes b WHERE b.abi_id = t.id)`,
  functions: (isLooked) => sql`SELECT t.id FROM _functions t WHERE ${isLooked} AND ${inNoPart(sql`0`)}`,
  structs: (isLooked) => sql`SELECT t.id FROM _structs t WHERE ${isLooked} AND ${inNoPart(sql`1`)}`,
  // No index leads from a row to the parts that it is in.
  function_calls: (isLooked) => sql`SELECT t.id FROM _function_calls t WHERE ${isLooked}
    EXCEPT SELECT f.id FROM _call_parts r JOIN _function_calls f ON f.id BETWEEN (r.source_id << 16) + r.first_place AND (r.source_id << 16) + r.last_place`,
  // Names stay where they are while rows are made anew.
  modules: (isLooked) => sql`SELECT t.id FROM _modules t WHERE ${isLooked} AND NOT EXISTS (SELECT 1 FROM _bytecodes WHERE derived_by IS NULL)
    EXCEPT SELECT module_id FROM _abis EXCEPT SELECT module_id FROM _struct_uses EXCEPT SELECT module_id FROM _abi_friends
    EXCEPT SELECT module_id FROM _abi_dependencies`,
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
