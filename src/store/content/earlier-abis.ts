import { joined, named, type Sql, sql } from "../../schema/sql/sql.ts";
import { each } from "../../schema/sql/words.ts";
import type { Transaction } from "../engine/engine.ts";
import type { FunctionRow, StructRow } from "./abi-rows.ts";
import { DERIVED_BY } from "./derivation.ts";
import { columnsOf, ITEMS, type ItemKind, itemKinds, type Numbered } from "./stored-rows.ts";

/** What is stored of a module's ABI, as far as a later one may share it; other modules by the numbers of their rows. */
export type EarlierAbi = {
  readonly id: number;
  readonly faceDigest: Uint8Array;
  readonly errors: string | null;
  readonly errorsAbi: number | null;
  readonly functions: readonly Numbered<FunctionRow>[];
  readonly structs: readonly Numbered<StructRow>[];
  readonly friends: readonly number[];
  readonly dependencies: readonly number[];
};

// What a node told of its own is shared with nothing: it holds less than what bytes say.
const newest = sql`
  SELECT max(x.id) AS id, x.module_id FROM ${each(":modules::json", "j")} JOIN _abis x ON x.module_id = CAST(j.value AS bigint)
  JOIN _bytecodes b ON b.id = x.id AND b.derived_by = :by::text GROUP BY x.module_id`;
// Which they are, asked once; what they hold, by their numbers.
const earlier = sql`(SELECT CAST(j.value AS bigint) AS id FROM ${each(":abis::json", "j")}) AS n`;
const selves = sql`
  SELECT n.id, x.module_id, x.face_digest, e.errors, x.errors_abi_id FROM ${earlier} JOIN _abis x ON x.id = n.id
  LEFT JOIN _abis e ON e.id = x.errors_abi_id`;
const itemsOf = (kind: ItemKind): Sql => sql`
  SELECT n.id AS abi_id, ${joined(
    columnsOf(kind).map((column) => sql`i.${named(column)}`),
    ", ",
  )}
  FROM ${earlier} JOIN _abi_parts r ON r.abi_id = n.id AND r.kind = :kind
  JOIN ${named(kind)} i ON i.id BETWEEN r.source_id * :items + r.first_place AND r.source_id * :items + r.last_place
  ORDER BY n.id, r.position, i.id`;
const others = (table: "abi_friends" | "abi_dependencies"): Sql =>
  sql`SELECT n.id, o.module_id FROM ${earlier} JOIN ${named(table)} o ON o.abi_id = n.id ORDER BY n.id, o.position`;
const items = { functions: itemsOf("functions"), structs: itemsOf("structs") };
const friends = others("abi_friends");
const dependencies = others("abi_dependencies");

/** The newest ABI stored of each of these modules, by the number of the module. A module without one is left out. */
export async function readEarlierAbis(tx: Transaction, modules: readonly number[]): Promise<Map<number, EarlierAbi>> {
  const found = new Map<number, EarlierAbi>();
  if (modules.length === 0) return found;
  const ids = (await tx.all<[id: number]>(newest, { modules: JSON.stringify(modules), by: DERIVED_BY })).map(([id]) => id);
  if (ids.length === 0) return found;
  const abis = JSON.stringify(ids);
  const rowsOf = async <R>(kind: ItemKind): Promise<Map<number, Numbered<R>[]>> => {
    const rows = await tx.all<[abi: number, id: number, ...row: string[]]>(items[kind], { abis, kind: itemKinds[kind], items: ITEMS });
    return grouped(rows.map(([abi, id, ...row]) => [abi, { id, row: row as R }]));
  };
  const lists = {
    functions: await rowsOf<FunctionRow>("functions"),
    structs: await rowsOf<StructRow>("structs"),
    friends: grouped(await tx.all<[abi: number, module: number]>(friends, { abis })),
    dependencies: grouped(await tx.all<[abi: number, module: number]>(dependencies, { abis })),
  };
  for (const [id, module, faceDigest, errors, errorsAbi] of await tx.all<[number, number, Uint8Array, string | null, number | null]>(
    selves,
    { abis },
  )) {
    found.set(module, {
      id,
      faceDigest,
      errors,
      errorsAbi,
      functions: lists.functions.get(id) ?? [],
      structs: lists.structs.get(id) ?? [],
      friends: lists.friends.get(id) ?? [],
      dependencies: lists.dependencies.get(id) ?? [],
    });
  }
  return found;
}

function grouped<V>(rows: readonly (readonly [key: number, value: V])[]): Map<number, V[]> {
  const groups = new Map<number, V[]>();
  for (const [key, value] of rows) {
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [value]);
    else group.push(value);
  }
  return groups;
}
