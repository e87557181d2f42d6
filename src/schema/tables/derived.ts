import type { TableData } from "../table.ts";

const ofAbi = { kind: "int", meaning: "the ABI", references: "_abis" } as const;
const ofModule = { kind: "int", meaning: "the other module", references: "_modules" } as const;
const position = { kind: "int", meaning: "place in the list, from 0" } as const;
const itemId = (list: string) =>
  ({
    kind: "int",
    meaning: `number of the ABI that brought it, times 65536, and its place among the ${list} that this ABI brought`,
  }) as const;
const typeParams = {
  kind: "json",
  meaning: "its type parameters, each as a sum: 1 copy, 2 drop, 4 store, 8 key, 16 phantom; null when there are none",
  nullable: true,
} as const;
const attributes = {
  kind: "json",
  meaning:
    "its attributes, each a list of the kind as the module's metadata numbers it (2 resource group, 3 group member, 4 event …) and a list of its arguments; null when there are none",
  nullable: true,
} as const;

/**
 * What follows from bytecode, and can be derived from it again at any time. A function or struct is one row, with its lists
 * as JSON inside, which the views expand; a bytecode's ABI is a few stretches of such rows, so that an upgrade shares those
 * of the module's earlier ABI that it left as they were. Written in bulk, so that nothing checks references at each row:
 * `verify` does, and derives every row again.
 */
export const derivedTables = {
  abis: {
    name: "_abis",
    meaning: "ABIs of modules, each numbered as the bytecode that it was first derived from",
    columns: {
      id: { kind: "int", meaning: "number of the bytecode", references: "_bytecodes" },
      module_id: { kind: "int", meaning: "the module's own name, as the bytes say it", references: "_modules" },
      face_digest: { kind: "bytes", meaning: "SHA-256 of what a 2026 node prints of it: equal exactly when that is equal" },
      errors_abi_id: {
        kind: "int",
        meaning: "the ABI that holds its error map, null when it has none",
        nullable: true,
        references: "_abis",
      },
      errors: {
        kind: "json",
        meaning: "its error map, each row a list of code (as text), name and description; null when another ABI holds it, or there is none",
        nullable: true,
      },
    },
    key: ["id"],
    indexes: [{ columns: ["module_id"] }, { columns: ["errors_abi_id"] }],
    isDerived: true,
  },
  abi_parts: {
    name: "_abi_parts",
    meaning: "Functions and structs of an ABI, in the order of the bytecode, as stretches of rows that follow one another",
    columns: {
      abi_id: ofAbi,
      kind: { kind: "int", meaning: "0 for functions, 1 for structs" },
      position: { kind: "int", meaning: "place of the stretch's first row in the ABI's list, from 0" },
      source_id: { kind: "int", meaning: "the ABI that brought the rows: itself, or an earlier one of the module", references: "_abis" },
      first_place: { kind: "int", meaning: "place of the first row among those that the source brought" },
      last_place: { kind: "int", meaning: "place of the last one" },
    },
    key: ["abi_id", "kind", "position"],
    indexes: [{ columns: ["source_id", "kind"] }],
    isDerived: true,
  },
  functions: {
    name: "_functions",
    meaning: "Function definitions",
    columns: {
      id: itemId("functions"),
      name: { kind: "text", meaning: "name of the function" },
      traits: {
        kind: "int",
        meaning: "what it is as a sum: 0 private, 1 friend or 2 public; 4 entry, 8 view, 16 native",
      },
      type_params: typeParams,
      params: { kind: "json", meaning: "types of its parameters as the node prints them, null when there are none", nullable: true },
      returns: { kind: "json", meaning: "types of what it returns, null when there is nothing", nullable: true },
      acquires: {
        kind: "json",
        meaning: "names of the module's structs whose storage it touches, null when there are none",
        nullable: true,
      },
      attributes,
      signature: {
        kind: "text",
        meaning:
          "the declaration on one line, where it does not follow from the columns before: types with functions in them, whose abilities nodes do not print",
        nullable: true,
      },
    },
    key: ["id"],
    indexes: [{ columns: ["name"] }],
    isDerived: true,
  },
  structs: {
    name: "_structs",
    meaning: "Struct and enum definitions",
    columns: {
      id: itemId("structs"),
      name: { kind: "text", meaning: "name of the struct" },
      traits: {
        kind: "int",
        meaning:
          "what it is as a sum: its abilities, 1 copy, 2 drop, 4 store, 8 key; 16 native, 32 event, 64 enum: has variants instead of fields of its own",
      },
      type_params: typeParams,
      attributes,
      variants: { kind: "json", meaning: "names of an enum's variants, null when there are none", nullable: true },
      fields: {
        kind: "json",
        meaning:
          "its fields, each a list of name and type, and for those of an enum's variant also the variant's place and the field's place in it; null when there are none",
        nullable: true,
      },
    },
    key: ["id"],
    indexes: [{ columns: ["name"] }],
    isDerived: true,
  },
  abi_friends: {
    name: "_abi_friends",
    meaning: "Friends that a module declares",
    columns: { abi_id: ofAbi, position, module_id: ofModule },
    key: ["abi_id", "position"],
    indexes: [{ columns: ["module_id"] }],
    isDerived: true,
  },
  abi_dependencies: {
    name: "_abi_dependencies",
    meaning: "Other modules that a module's bytecode refers to",
    columns: { abi_id: ofAbi, position, module_id: ofModule },
    key: ["abi_id", "position"],
    indexes: [{ columns: ["module_id"] }],
    isDerived: true,
  },
  struct_uses: {
    name: "_struct_uses",
    meaning: "Structs of other modules that an ABI's types mention, at any depth; its own structs are not repeated here",
    columns: { abi_id: ofAbi, module_id: ofModule, struct: { kind: "text", meaning: "name of the struct" } },
    key: ["abi_id", "module_id", "struct"],
    indexes: [{ columns: ["module_id", "struct"] }],
    isDerived: true,
  },
  function_calls: {
    name: "_function_calls",
    meaning: "What functions call, or make function values of: a row for each function that calls any",
    columns: {
      id: {
        kind: "int",
        meaning: "number of the bytecode that brought it, times 65536, and its place among the rows that this bytecode brought",
      },
      name: { kind: "text", meaning: "name of the calling function" },
      callees: {
        kind: "json",
        meaning:
          "the called functions: for each module that holds some, its own among them, a list of its number and the list of their names",
      },
    },
    key: ["id"],
    indexes: [],
    isDerived: true,
  },
  call_parts: {
    name: "_call_parts",
    meaning: "Calls of a bytecode's functions, in the order of the rows' numbers, as stretches of rows that follow one another",
    columns: {
      bytecode_id: { kind: "int", meaning: "the bytecode", references: "_bytecodes" },
      position: { kind: "int", meaning: "place of the stretch's first row in the bytecode's list, from 0" },
      source_id: {
        kind: "int",
        meaning: "the bytecode that brought the rows: itself, or an earlier one of the module",
        references: "_bytecodes",
      },
      first_place: { kind: "int", meaning: "place of the first row among those that the source brought" },
      last_place: { kind: "int", meaning: "place of the last one" },
    },
    key: ["bytecode_id", "position"],
    indexes: [],
    isDerived: true,
  },
} as const satisfies Record<string, TableData>;
