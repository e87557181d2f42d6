import type { Database } from "better-sqlite3";
import type { Address } from "../../move/address.ts";
import type { ModuleId } from "../../move/types/types.ts";
import { derivedTables, type derivedTables as Tables } from "../../schema/tables/derived.ts";
import type { FunctionRow, StructRow } from "./abi-rows.ts";
import type { CallRow } from "./call-rows.ts";

/** A stretch of rows that an ABI's list is made of. */
export type Part = { readonly position: number; readonly source: number; readonly first: number; readonly last: number };

/** A row of `functions` or `structs` with its number. */
export type Numbered<R> = { readonly id: number; readonly row: R };

/** Reads an ABI's rows as they are stored, by the number of the ABI. */
export type StoredRows = {
  /** What stands in the ABI's own row, its error map from wherever that is held; `isWhole` when it is held once and at the place that is named. */
  readonly self: (
    abi: number,
  ) => { readonly id: ModuleId; readonly faceDigest: Uint8Array; readonly errors: string | null; readonly isWhole: boolean } | undefined;
  readonly functions: (abi: number) => Numbered<FunctionRow>[];
  readonly structs: (abi: number) => Numbered<StructRow>[];
  readonly parts: (kind: ItemKind, abi: number) => Part[];
  readonly friends: (abi: number) => ModuleId[];
  readonly dependencies: (abi: number) => ModuleId[];
  readonly uses: (abi: number) => { readonly module: ModuleId; readonly struct: string }[];
  /** The calls of a bytecode, by its number, and the stretches that they are stored as. */
  readonly calls: (bytecode: number) => { readonly rows: CallRow[]; readonly parts: Part[] };
};

/** Numbers of the kinds of items, as `abi_parts` has them. */
export const itemKinds = { functions: 0, structs: 1 } as const;
export type ItemKind = keyof typeof itemKinds;

/** How many items of one kind an ABI can bring: the binary format counts them in 16 bits. */
export const ITEMS = 65_536;

/** Columns of a derived table, in their order. */
export function columnsOf(table: keyof typeof Tables): string[] {
  return Object.keys(derivedTables[table].columns);
}

/** Prepares the reading of stored ABIs on a connection. A module or address that is named and missing reads as `?`. */
export function prepareStoredRows(database: Database): StoredRows {
  const rows = <R>(sql: string) => {
    const statement = database.prepare<[number], R>(sql).raw(true).safeIntegers(false);
    return (abi: number): R[] => statement.all(abi);
  };
  const named = "coalesce(a.address, '?'), coalesce(m.name, '?')";
  const names = (id: string) => `LEFT JOIN modules m ON m.id = ${id} LEFT JOIN addresses a ON a.id = m.address_id`;
  const self = rows<[Address, string, Uint8Array, string | null, number]>(
    `SELECT ${named}, x.face_digest, e.errors, (x.errors IS NULL) = (x.errors_abi_id IS NOT x.id) AND (x.errors_abi_id IS NULL) = (e.errors IS NULL) FROM abis x ${names("x.module_id")} LEFT JOIN abis e ON e.id = x.errors_abi_id WHERE x.id = ?`,
  );
  const items = <R>(kind: ItemKind) => {
    const all = rows<[number, ...unknown[]]>(
      `SELECT i.* FROM abi_parts r JOIN ${kind} i ON i.id BETWEEN r.source_id * ${ITEMS} + r.first_place AND r.source_id * ${ITEMS} + r.last_place ` +
        `WHERE r.abi_id = ? AND r.kind = ${itemKinds[kind]} ORDER BY r.position, i.id`,
    );
    return (abi: number): Numbered<R>[] => all(abi).map(([id, ...row]) => ({ id, row: row as R }));
  };
  const parts = (kind: ItemKind) =>
    rows<[number, number, number, number]>(
      `SELECT position, source_id, first_place, last_place FROM abi_parts WHERE abi_id = ? AND kind = ${itemKinds[kind]} ORDER BY position`,
    );
  const partsOf = { functions: parts("functions"), structs: parts("structs") };
  const others = (table: string) => {
    const all = rows<[Address, string]>(`SELECT ${named} FROM ${table} o ${names("o.module_id")} WHERE o.abi_id = ? ORDER BY o.position`);
    return (abi: number): ModuleId[] => all(abi).map(([address, name]) => ({ address, name }));
  };
  const calls = rows<[number, ...CallRow]>(
    `SELECT i.id, i.name, ${named}, i.callees FROM call_parts r JOIN function_calls i ` +
      `ON i.id BETWEEN r.source_id * ${ITEMS} + r.first_place AND r.source_id * ${ITEMS} + r.last_place ${names("i.module_id")} ` +
      "WHERE r.bytecode_id = ? ORDER BY r.position, i.id",
  );
  const callParts = rows<[number, number, number, number]>(
    "SELECT position, source_id, first_place, last_place FROM call_parts WHERE bytecode_id = ? ORDER BY position",
  );
  const toPart = ([position, source, first, last]: [number, number, number, number]): Part => ({ position, source, first, last });
  const uses = rows<[Address, string, string]>(`SELECT ${named}, o.struct FROM struct_uses o ${names("o.module_id")} WHERE o.abi_id = ?`);
  return {
    self: (abi) => {
      const [row] = self(abi);
      if (row === undefined) return undefined;
      const [address, name, faceDigest, errors, isWhole] = row;
      return { id: { address, name }, faceDigest, errors, isWhole: isWhole === 1 };
    },
    functions: items<FunctionRow>("functions"),
    structs: items<StructRow>("structs"),
    parts: (kind, abi) => partsOf[kind](abi).map(toPart),
    friends: others("abi_friends"),
    dependencies: others("abi_dependencies"),
    uses: (abi) => uses(abi).map(([address, name, struct]) => ({ module: { address, name }, struct })),
    calls: (bytecode) => ({ rows: calls(bytecode).map(([, ...row]) => row), parts: callParts(bytecode).map(toPart) }),
  };
}
