import type { Address } from "../../move/address.ts";
import type { ModuleId } from "../../move/types/types.ts";
import { joined, named, type Sql, sql } from "../../schema/sql/sql.ts";
import { each } from "../../schema/sql/words.ts";
import { derivedTables, type derivedTables as Tables } from "../../schema/tables/derived.ts";
import type { Integer, Session, Values } from "../engine/engine.ts";
import type { FunctionRow, StructRow } from "./abi-rows.ts";
import type { CallRow } from "./call-rows.ts";

/** A stretch of rows that an ABI's list is made of. */
export type Part = { readonly position: number; readonly source: number; readonly first: number; readonly last: number };

/** A row of `functions` or `structs` with its number. */
export type Numbered<R> = { readonly id: number; readonly row: R };

/** An ABI's rows as they are stored. */
export type StoredAbi = {
  readonly id: ModuleId;
  readonly faceDigest: Uint8Array;
  /** Its error map, from wherever that is held. */
  readonly errors: string | null;
  /** Whether the error map is held once, and at the place that is named. */
  readonly isWhole: boolean;
  readonly functions: readonly Numbered<FunctionRow>[];
  readonly structs: readonly Numbered<StructRow>[];
  readonly parts: { readonly functions: readonly Part[]; readonly structs: readonly Part[] };
  /** Other modules with their places in the list. */
  readonly friends: readonly PlacedModule[];
  readonly dependencies: readonly PlacedModule[];
  readonly uses: readonly { readonly module: ModuleId; readonly struct: string }[];
};

/** A module in a list of modules. */
export type PlacedModule = { readonly position: number; readonly id: ModuleId };

/** The calls of a bytecode, and the stretches that they are stored as. */
export type StoredCalls = { readonly rows: readonly CallRow[]; readonly parts: readonly Part[] };

/** Numbers of the kinds of items, as `abi_parts` has them. */
export const itemKinds = { functions: 0, structs: 1 } as const;
export type ItemKind = keyof typeof itemKinds;

/** How many items of one kind an ABI can bring: the binary format counts them in 16 bits. */
export const ITEMS = 65_536;

/** Columns of a derived table, in their order. */
export function columnsOf(table: keyof typeof Tables): string[] {
  return Object.keys(derivedTables[table].columns);
}

const wanted = sql`(SELECT CAST(j.value AS bigint) AS id FROM ${each(":ids::json", "j")}) AS w`;
// A module or address that is named and missing reads as `?`.
const name = sql`coalesce(a.address, '?'), coalesce(m.name, '?')`;
const namesOf = (id: Sql): Sql => sql`LEFT JOIN _modules m ON m.id = ${id} LEFT JOIN _addresses a ON a.id = m.address_id`;
const inPart = sql`BETWEEN r.source_id * 65536 + r.first_place AND r.source_id * 65536 + r.last_place`;
const part = sql`r.position, r.source_id, r.first_place, r.last_place`;

const selves = sql`SELECT w.id, ${name}, x.face_digest, e.errors,
    CASE WHEN (x.errors IS NULL) = (x.errors_abi_id IS DISTINCT FROM x.id) AND (x.errors_abi_id IS NULL) = (e.errors IS NULL) THEN 1 ELSE 0 END
  FROM ${wanted} JOIN _abis x ON x.id = w.id ${namesOf(sql`x.module_id`)} LEFT JOIN _abis e ON e.id = x.errors_abi_id`;
const itemsOf = (kind: ItemKind): Sql =>
  sql`SELECT w.id, ${joined(
    columnsOf(kind).map((column) => sql`i.${named(column)}`),
    ", ",
  )} FROM ${wanted} JOIN _abi_parts r ON r.abi_id = w.id AND r.kind = :kind JOIN ${named(kind)} i ON i.id ${inPart} ORDER BY w.id, r.position, i.id`;
const items = { functions: itemsOf("functions"), structs: itemsOf("structs") };
const parts = sql`SELECT w.id, ${part} FROM ${wanted} JOIN _abi_parts r ON r.abi_id = w.id AND r.kind = :kind ORDER BY w.id, r.position`;
const othersOf = (table: "abi_friends" | "abi_dependencies"): Sql =>
  sql`SELECT w.id, o.position, ${name} FROM ${wanted} JOIN ${named(table)} o ON o.abi_id = w.id ${namesOf(sql`o.module_id`)} ORDER BY w.id, o.position`;
const others = { friends: othersOf("abi_friends"), dependencies: othersOf("abi_dependencies") };
const uses = sql`SELECT w.id, ${name}, o.struct FROM ${wanted} JOIN _struct_uses o ON o.abi_id = w.id ${namesOf(sql`o.module_id`)}`;
const calls = sql`SELECT w.id, i.name, i.callees FROM ${wanted} JOIN _call_parts r ON r.bytecode_id = w.id
  JOIN _function_calls i ON i.id ${inPart} ORDER BY w.id, r.position, i.id`;
const callParts = sql`SELECT w.id, ${part} FROM ${wanted} JOIN _call_parts r ON r.bytecode_id = w.id ORDER BY w.id, r.position`;

/** Reads stored ABIs by their numbers; one that is not there is left out. */
export async function readStoredAbis(session: Session, ids: readonly Integer[]): Promise<Map<Integer, StoredAbi>> {
  const of = asker(session, ids);
  const rowsOf = async <R>(kind: ItemKind) =>
    await of(items[kind], ([id, ...row]): Numbered<R> => ({ id: id as number, row: row as R }), { kind: itemKinds[kind] });
  const partsOf = (kind: ItemKind) => of(parts, toPart, { kind: itemKinds[kind] });
  const placed = (select: Sql) =>
    of(select, ([position, ...module]): PlacedModule => ({ position: position as number, id: toModule(module) }));
  const found = {
    functions: await rowsOf<FunctionRow>("functions"),
    structs: await rowsOf<StructRow>("structs"),
    functionParts: await partsOf("functions"),
    structParts: await partsOf("structs"),
    friends: await placed(others.friends),
    dependencies: await placed(others.dependencies),
    uses: await of(uses, ([address, module, struct]) => ({ module: toModule([address, module]), struct: struct as string })),
  };
  const abis = await of(selves, (row) => row as readonly [Address, string, Uint8Array, string | null, number]);
  return new Map(
    [...abis].map(([id, [self]]): [Integer, StoredAbi] => {
      const [address, module, faceDigest, errors, isWhole] = self as NonNullable<typeof self>;
      return [
        id,
        {
          id: { address, name: module },
          faceDigest,
          errors,
          isWhole: isWhole === 1,
          functions: found.functions.get(id) ?? [],
          structs: found.structs.get(id) ?? [],
          parts: { functions: found.functionParts.get(id) ?? [], structs: found.structParts.get(id) ?? [] },
          friends: found.friends.get(id) ?? [],
          dependencies: found.dependencies.get(id) ?? [],
          uses: found.uses.get(id) ?? [],
        },
      ];
    }),
  );
}

/** Reads the stored calls of bytecodes by their numbers; one without any is left out. */
export async function readStoredCalls(session: Session, ids: readonly Integer[]): Promise<Map<Integer, StoredCalls>> {
  const of = asker(session, ids);
  const rows = await of(calls, (row) => row as unknown as CallRow);
  const stretches = await of(callParts, toPart);
  const found = new Set([...rows.keys(), ...stretches.keys()]);
  return new Map([...found].map((id) => [id, { rows: rows.get(id) ?? [], parts: stretches.get(id) ?? [] }]));
}

/** Asks about all numbers at once; what each row comes to is put together by the number that stands first in it. */
function asker(session: Session, ids: readonly Integer[]) {
  const list = JSON.stringify(ids.map(String));
  return async <V>(select: Sql, toValue: (row: readonly unknown[]) => V, values: Values = {}): Promise<Map<Integer, V[]>> => {
    const found = new Map<Integer, V[]>();
    for (const [id, ...row] of await session.all<[Integer, ...never[]]>(select, { ids: list, ...values })) {
      const values = found.get(id);
      if (values === undefined) found.set(id, [toValue(row)]);
      else values.push(toValue(row));
    }
    return found;
  };
}

function toPart([position, source, first, last]: readonly unknown[]): Part {
  return { position, source, first, last } as Part;
}

function toModule([address, module]: readonly unknown[]): ModuleId {
  return { address: address as Address, name: module as string };
}
