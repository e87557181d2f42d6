import { runsOf } from "../../core/base/names.ts";
import { plural } from "../../core/base/plural.ts";
import type { ModuleArchive } from "../../core/db/archive/read/module-archive.ts";
import { includesCovered } from "../../core/db/archive/snapshots/covering.ts";
import type { Engine } from "../../core/db/engine/engine.ts";
import { moduleSpans } from "../../core/db/schema/sql/predicates.ts";
import { type Sql, sql } from "../../core/db/schema/sql/sql.ts";
import type { Address } from "../../core/move/address.ts";
import type { ItemId } from "../../core/move/module-id.ts";
import type { SearchHit } from "./hits.ts";

type Row = [address: Address, module: string, name: string];

const itself = sql`_addresses oa JOIN _modules om ON om.address_id = oa.id AND om.name = :module`;
const mentioned = sql`${itself} JOIN _type_structs t ON t.module_id = om.id AND t.struct = :name`;
// No order: the first that are found are enough where there are very many.
const standing = (from: Sql, links: Sql) => sql<Row>`SELECT DISTINCT a.address, s.name, i.name FROM ${from} ${links}
  JOIN _bytecodes b ON b.abi_id = l.abi_id JOIN ${moduleSpans} s ON s.bytecode_id = b.id JOIN _addresses a ON a.id = s.address_id
  WHERE oa.address = :address AND ${includesCovered("s", ":version")} LIMIT :limit`;
const ofFunctions = sql`JOIN _functions i ON i.id = k.function_id JOIN _abi_functions l ON l.function_id = i.id`;
const statements = {
  callersOf: standing(
    sql`${itself} JOIN _called_functions d ON d.module_id = om.id AND d.name = :name JOIN _function_calls k ON k.called_id = d.id`,
    ofFunctions,
  ),
  takersOf: standing(sql`${mentioned} JOIN _function_params k ON k.type_id = t.type_id`, ofFunctions),
  returnersOf: standing(sql`${mentioned} JOIN _function_returns k ON k.type_id = t.type_id`, ofFunctions),
  holdersOf: standing(
    sql`${mentioned} JOIN _struct_fields k ON k.type_id = t.type_id`,
    sql`JOIN _structs i ON i.id = k.struct_id JOIN _abi_structs l ON l.struct_id = i.id`,
  ),
};

/** Who has to do with an item at a snapshot, `limit` at most; without calls of modules whose calls are not stored. */
export function itemQueries(engine: Engine) {
  const ask = (statement: Sql<Row>) => async (item: ItemId, version: bigint, limit: number) => {
    const values = { address: item.module.address, module: item.module.name, name: item.name, version, limit };
    const rows = await engine.all(statement, values);
    return rows
      .toSorted((a, b) => a[0].length - b[0].length || (a.join("::") < b.join("::") ? -1 : 1))
      .map(([address, name, item]): ItemId => ({ module: { address, name }, name: item }));
  };
  return {
    callersOf: ask(statements.callersOf),
    takersOf: ask(statements.takersOf),
    returnersOf: ask(statements.returnersOf),
    holdersOf: ask(statements.holdersOf),
  };
}

/** How many functions take and return a type, and how many structs hold it; at least so many where `isCut`. */
export type TypeUse = Awaited<ReturnType<typeof typeUsesOf>>[number];

/** Types that are told of, and uses that are counted of each. */
const [TYPES_MAX, COUNTED_MAX] = [3, 1000];

/**
 * Of a search by a type's name: how the types of just this name are used, at the newest snapshot of their account. One that nothing uses
 * is left out: an event has often the name of a function.
 */
export async function typeUsesOf(archive: ModuleArchive, hits: readonly SearchHit[], words: readonly string[]) {
  const typed = words.join(" ");
  const isNamed = ({ kind, module, name, lastVersion }: SearchHit): boolean => {
    const own = runsOf(name).join(" ");
    return kind === "struct" && lastVersion === null && (own === typed || `${runsOf(module).join(" ")} ${own}` === typed);
  };
  const { takersOf, returnersOf, holdersOf } = itemQueries(archive.engine);
  const uses = await Array.fromAsync(hits.filter(isNamed).slice(0, TYPES_MAX), async ({ address, module, name }) => {
    const item = { module: { address, name: module }, name };
    const version = (await archive.newestCovering(address)) ?? 0n;
    const count = async (read: typeof takersOf) => (await read(item, version, COUNTED_MAX)).length;
    const [takenBy, returnedBy, heldBy] = await Promise.all([count(takersOf), count(returnersOf), count(holdersOf)]);
    return { ...item, takenBy, returnedBy, heldBy, isCut: [takenBy, returnedBy, heldBy].includes(COUNTED_MAX) };
  });
  return uses.filter(({ takenBy, returnedBy, heldBy }) => takenBy + returnedBy + heldBy > 0);
}

/** `20 functions take it, 13 return it, 2 structs hold it`. */
export function typeUseWords({ takenBy, returnedBy, heldBy, isCut }: TypeUse): string {
  const words = `${plural(takenBy, "function takes", "functions take")} it, ${plural(returnedBy, "returns", "return")} it`;
  return `${words}, ${plural(heldBy, "struct holds", "structs hold")} it${isCut ? ", or more" : ""}`;
}
