import type { Database } from "better-sqlite3";
import { formatHex } from "../../base/hex.ts";
import type { Cell, RowsByTable } from "./abi-expected.ts";

/** A link of an ABI to a function or struct, as it is stored. */
export type StoredLink = { readonly position: string; readonly id: bigint };

/** Reads the rows behind an ABI in the form of `abi-expected.ts`. A row that another one should name and that is missing shows as `null`. */
export type StoredAbis = {
  readonly abi: (id: bigint) => RowsByTable;
  readonly links: (kind: "functions" | "structs", id: bigint) => readonly StoredLink[];
  readonly item: (kind: "functions" | "structs", id: bigint) => RowsByTable;
};

const typeParam = "position, is_phantom, has_copy, has_drop, has_store, has_key";
const otherModule = (table: string): string =>
  `SELECT o.position, a.address, m.name FROM ${table} o LEFT JOIN modules m ON m.id = o.module_id LEFT JOIN addresses a ON a.id = m.address_id ` +
  "WHERE o.abi_id = ? ORDER BY o.position";
const types = (table: string): string =>
  `SELECT p.position, t.type FROM ${table} p LEFT JOIN types t ON t.id = p.type_id WHERE p.function_id = ? ORDER BY p.position`;

const questions = {
  abi: {
    abis:
      "SELECT x.digest, x.decoder, a.address, m.name, x.node_digest FROM abis x LEFT JOIN modules m ON m.id = x.module_id " +
      "LEFT JOIN addresses a ON a.id = m.address_id WHERE x.id = ?",
    abi_friends: otherModule("abi_friends"),
    abi_dependencies: otherModule("abi_dependencies"),
    abi_error_codes:
      "SELECT o.position, e.code, e.name, e.description FROM abi_error_codes o LEFT JOIN error_codes e ON e.id = o.error_code_id " +
      "WHERE o.abi_id = ? ORDER BY o.position",
  },
  functions: {
    functions: "SELECT digest, name, visibility, is_entry, is_view, is_native, signature, acquires FROM functions WHERE id = ?",
    function_params: types("function_params"),
    function_returns: types("function_returns"),
    function_type_params: `SELECT ${typeParam} FROM function_type_params WHERE function_id = ? ORDER BY position`,
    function_attributes: "SELECT position, kind, args FROM function_attributes WHERE function_id = ? ORDER BY position",
  },
  structs: {
    structs: "SELECT digest, name, is_native, is_event, is_enum, has_copy, has_drop, has_store, has_key FROM structs WHERE id = ?",
    struct_type_params: `SELECT ${typeParam} FROM struct_type_params WHERE struct_id = ? ORDER BY position`,
    struct_attributes: "SELECT position, kind, args FROM struct_attributes WHERE struct_id = ? ORDER BY position",
    variants: "SELECT position, name FROM variants WHERE struct_id = ? ORDER BY position",
    fields:
      "SELECT f.variant, f.position, f.name, t.type FROM fields f LEFT JOIN types t ON t.id = f.type_id " +
      "WHERE f.struct_id = ? ORDER BY f.variant, f.position",
  },
} as const;

/** Prepares the reading of stored ABIs on a connection. */
export function prepareStoredAbis(database: Database): StoredAbis {
  const reader = (tables: Readonly<Record<string, string>>) => {
    const statements = Object.entries(tables).map(([table, sql]) => [table, database.prepare<[bigint], unknown[]>(sql).raw(true)] as const);
    return (id: bigint): RowsByTable => new Map(statements.map(([table, rows]) => [table, rows.all(id).map((row) => row.map(toCell))]));
  };
  const link = (table: string, column: string) =>
    database.prepare<[bigint], { position: bigint; id: bigint }>(
      `SELECT position, ${column} AS id FROM ${table} WHERE abi_id = ? ORDER BY position`,
    );
  const links = { functions: link("abi_functions", "function_id"), structs: link("abi_structs", "struct_id") };
  const items = { functions: reader(questions.functions), structs: reader(questions.structs) };
  return {
    abi: reader(questions.abi),
    links: (kind, id) => links[kind].all(id).map((row) => ({ position: `${row.position}`, id: row.id })),
    item: (kind, id) => items[kind](id),
  };
}

function toCell(value: unknown): Cell {
  return value instanceof Uint8Array ? formatHex(value) : String(value);
}
