import type { ModuleArchive } from "../../archive/read/module-archive.ts";
import { inOrder, type StandingCode, standing, standingCode, standingId } from "../../archive/read/standing-code.ts";
import { shapeOf, text, whole } from "../../engine/shape.ts";
import { formatModuleId, type ItemId } from "../../move/module-id.ts";
import { jsonEach, jsonItem } from "../../schema/sql/functions.ts";
import { moduleSpans } from "../../schema/sql/predicates.ts";
import { sql } from "../../schema/sql/sql.ts";

/** A function that calls another one, which is told by its place in the list that was asked about. */
const call = shapeOf({ ...standingId, caller: text("f.name"), place: whole("w.place") });
const calls = sql`WITH wanted AS MATERIALIZED (SELECT d.id, j.key AS place FROM ${jsonEach(":functions::json", "j")}
    JOIN _addresses a ON a.address = ${jsonItem("j.value", 0)} JOIN _modules m ON m.address_id = a.id AND m.name = ${jsonItem("j.value", 1)}
    JOIN _called_functions d ON d.module_id = m.id AND d.name = ${jsonItem("j.value", 2)})
  SELECT ${call.columns} FROM wanted w JOIN _function_calls k ON k.called_id = w.id JOIN _functions f ON f.id = k.function_id
    JOIN _abi_functions l ON l.function_id = f.id JOIN _bytecodes b ON b.abi_id = l.abi_id JOIN ${moduleSpans} s ON s.bytecode_id = b.id
    JOIN _addresses a ON a.id = s.address_id WHERE ${standing} ORDER BY length(a.address), a.address, s.name, l.position`;
// In this order: from the functions to what refers to them, never all ABIs.
const untoldCode = sql`WITH wanted AS MATERIALIZED (SELECT DISTINCT a.id AS address_id, ${jsonItem("j.value", 1)} AS name
    FROM ${jsonEach(":functions::json", "j")} JOIN _addresses a ON a.address = ${jsonItem("j.value", 0)}),
  untold AS MATERIALIZED (SELECT b.id FROM wanted w JOIN ${moduleSpans} s ON s.address_id = w.address_id AND s.name = w.name
      JOIN _bytecodes b ON b.id = s.bytecode_id LEFT JOIN _abis x ON x.id = b.abi_id WHERE x.id IS NULL OR NOT x.has_calls
    UNION SELECT b.id FROM wanted w CROSS JOIN _modules m CROSS JOIN _abi_dependencies d CROSS JOIN _abis x CROSS JOIN _bytecodes b
      WHERE m.address_id = w.address_id AND m.name = w.name AND d.module_id = m.id AND x.id = d.abi_id AND NOT x.has_calls AND b.abi_id = x.id)
  SELECT ${standingCode.columns} FROM untold u JOIN _bytecodes b ON b.id = u.id JOIN ${moduleSpans} s ON s.bytecode_id = b.id
    JOIN _addresses a ON a.id = s.address_id WHERE ${standing} ${inOrder}`;

/** The calls of some functions that are stored of a snapshot's modules, in the order of accounts, names and code. */
export function readCalls({ engine }: ModuleArchive, functions: readonly ItemId[], version: bigint) {
  return call.all(engine, calls, { functions: functionsJson(functions), version });
}

/** Modules of some functions, and those that refer to them, of which no calls are stored, so that only their bytecode tells. */
export async function modulesWithoutCalls(
  { engine, waitingFor }: ModuleArchive,
  functions: readonly ItemId[],
  version: bigint,
): Promise<StandingCode[]> {
  const found = await standingCode.all(engine, untoldCode, { functions: functionsJson(functions), version });
  const known = new Set(found.map(formatModuleId));
  const waiting = await waitingFor(
    functions.map(({ module }) => module),
    version,
  );
  return [...found, ...waiting.filter((module) => !known.has(formatModuleId(module)))];
}

function functionsJson(functions: readonly ItemId[]): string {
  return JSON.stringify(functions.map(({ module, name }) => [module.address, module.name, name]));
}
