import type { Database } from "better-sqlite3";
import { type ItemKind, itemKinds } from "../content/stored-rows.ts";
import { type Check, type Damage, inSlice, type Slice } from "./check.ts";

const unnamed = (...columns: readonly string[]): string =>
  `id NOT IN (${columns.map((column) => `SELECT ${column} FROM ${column.split(".")[0]} WHERE ${column} IS NOT NULL`).join(" UNION ALL ")})`;
const inNoPart = (kind: ItemKind): string =>
  `NOT EXISTS (SELECT 1 FROM abi_parts r WHERE r.source_id = id >> 16 AND r.kind = ${itemKinds[kind]} AND (id & 65535) BETWEEN r.first_place AND r.last_place)`;

/** Rows that are written only together with what refers to them: by table, the condition that nothing does. */
const lostRows: Readonly<Record<string, string>> = {
  abis: unnamed("bytecodes.abi_id"),
  functions: inNoPart("functions"),
  structs: inNoPart("structs"),
  // No index leads from a row to the parts that it is in.
  function_calls:
    "id NOT IN (SELECT f.id FROM call_parts r JOIN function_calls f ON f.id BETWEEN (r.source_id << 16) + r.first_place AND (r.source_id << 16) + r.last_place)",
  // Names stay where they are while rows are made anew.
  modules: `NOT EXISTS (SELECT 1 FROM bytecodes WHERE derived_by IS NULL) AND ${unnamed("abis.module_id", "struct_uses.module_id", "abi_friends.module_id", "abi_dependencies.module_id")}`,
};

const SHOWN_MAX = 100;

/** Rows that nothing refers to. */
export function orphanCheck(database: Database, slice: Slice): Check {
  const questions = Object.entries(lostRows).map(([table, isLost]) => {
    const sql = `SELECT id FROM ${table} WHERE ${inSlice("id", slice)} AND ${isLost} LIMIT ${SHOWN_MAX}`;
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
