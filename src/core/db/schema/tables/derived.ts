import {
  digest,
  flag,
  id,
  int,
  ofAbi,
  ofFunction,
  ofModule,
  ofStruct,
  orNull,
  otherModule,
  position,
  reference,
  text,
  type,
  u64,
} from "../column.ts";
import { joined, named, type Sql, sql } from "../sql/sql.ts";
import { indexName, type TableData, tablesOf } from "../table.ts";
import { functionTables, structTables } from "./item-rows.ts";

/** What makes rows of bytecode, and which revision of it. A database whose rows another revision made derives all of them anew. */
export const DERIVED_BY = "movedex 6";

/** The same where the rows are made of a node's own JSON, for bytes that movedex cannot decode. */
export const REPORTED_BY_NODE = "node 2";

export const abiTables = tablesOf({
  error_codes: {
    meaning: "What abort codes mean: reasons with the names of their constants, each stored once",
    columns: {
      id,
      code: u64("the reason"),
      name: text("name of the constant"),
      description: text("its text"),
    },
    indexes: [{ columns: ["name"], isSought: true }],
  },
  error_maps: {
    meaning: "Error maps, each stored once: versions and copies of a module share one",
    columns: { id, digest: digest("its codes, names and descriptions") },
    indexes: [{ columns: ["digest"], unique: true }],
  },
  error_map_codes: {
    meaning: "The codes of an error map",
    columns: {
      error_map_id: reference("_error_maps", "the error map"),
      position,
      error_code_id: reference("_error_codes", "the code"),
    },
    key: ["error_map_id", "position"],
    indexes: [{ columns: ["error_code_id"] }],
  },
  abis: {
    meaning: "ABIs of modules, each stored once, however many bytecodes have it",
    columns: {
      id,
      module_id: ofModule,
      error_map_id: orNull(reference("_error_maps", "its error map; null if it has none")),
      has_calls: flag("has all calls of its functions in the database: false for ABIs from a node and for modules with too many calls"),
      face: int("what a 2026 node prints of it, as a number: other ABIs of its module of which a node prints the same have it too"),
    },
    indexes: [{ columns: ["module_id"], isSought: true }, { columns: ["error_map_id"] }],
  },
  abi_functions: {
    meaning: "Functions of an ABI, and the place of each in the bytecode",
    columns: { abi_id: ofAbi, function_id: ofFunction, position },
    key: ["abi_id", "function_id"],
    indexes: [{ columns: ["function_id"] }],
  },
  abi_structs: {
    meaning: "Structs of an ABI, and the place of each in the bytecode",
    columns: { abi_id: ofAbi, struct_id: ofStruct, position },
    key: ["abi_id", "struct_id"],
    indexes: [{ columns: ["struct_id"] }],
  },
  abi_friends: {
    meaning: "Friends that a module declares",
    columns: { abi_id: ofAbi, position, module_id: otherModule },
    key: ["abi_id", "position"],
  },
  abi_dependencies: {
    meaning: "Other modules that a module's bytecode refers to",
    columns: { abi_id: ofAbi, module_id: otherModule },
    key: ["abi_id", "module_id"],
    indexes: [{ columns: ["module_id"] }],
  },
});

const typeTables = tablesOf({
  types: {
    meaning: "Types of parameters, results and fields, each stored once",
    // Questions name common types, `u64` before all. Expecting a single type of average use, PostgreSQL compared each of 200,000 fields
    // with each of 463,000 parameters; expecting 300, it hashes them. More would have it read all rows for a rare type.
    columns: { id, text: { ...text("the type as the node prints it"), distinctPerRow: 1 / 300 } },
    indexes: [{ columns: ["text"], unique: true, isLong: true }],
  },
  type_structs: {
    meaning: "Structs that a type mentions, at any depth",
    columns: {
      type_id: type,
      module_id: { ...otherModule, meaning: "the struct's module" },
      struct: text("name of the struct"),
    },
    key: ["type_id", "module_id", "struct"],
    indexes: [{ columns: ["struct", "module_id"] }],
  },
});

/** What follows from bytecode, each function and struct once for all ABIs of its module. Tables that others refer to come first. */
export const derivedTables = { ...typeTables, ...functionTables, ...structTables, ...abiTables };

/** What follows from those, and from what stands. */
export const countTables = tablesOf({
  type_counts: {
    meaning: "How often the newest sealed snapshots of all accounts take, return and hold each type; changed by each seal",
    columns: { type_id: type, params: int("parameters of it"), returns: int("results of it"), fields: int("fields of it") },
    key: ["type_id"],
  },
});

type Index = { readonly name: string; readonly create: Sql; readonly drop: Sql };

/** The indexes of derived tables that deriving does not need. They may be missing after a run that was killed while deriving. */
export const secondaryIndexes: readonly Index[] = Object.values<TableData>(derivedTables).flatMap((table) =>
  (table.indexes ?? [])
    .filter(({ unique, isSought }) => !unique && !isSought)
    .map((index) => {
      const name = indexName(table, index);
      const columns = joined(index.columns.map(named), ", ");
      const create = sql`CREATE INDEX IF NOT EXISTS ${named(name)} ON ${named(table.name)} (${columns})`;
      return { name, create, drop: sql`DROP INDEX IF EXISTS ${named(name)}` };
    }),
);
