import type { TableData } from "../table.ts";

const id = { kind: "int", meaning: "number of the row inside this database" } as const;
const position = { kind: "int", meaning: "place in the list, from 0" } as const;
const digest = { kind: "bytes", meaning: "SHA-256 of the row's content and of all that hangs on it" } as const;
const ofFunction = { kind: "int", meaning: "the function", references: "functions" } as const;
const ofStruct = { kind: "int", meaning: "the struct", references: "structs" } as const;
const ofType = { kind: "int", meaning: "the type", references: "types" } as const;
const ofAbi = { kind: "int", meaning: "the ABI", references: "abis" } as const;
const ofModule = { kind: "int", meaning: "the other module", references: "modules" } as const;

const abilities = {
  has_copy: { kind: "bool", meaning: "has the ability copy" },
  has_drop: { kind: "bool", meaning: "has the ability drop" },
  has_store: { kind: "bool", meaning: "has the ability store" },
  has_key: { kind: "bool", meaning: "has the ability key" },
} as const;

const attribute = {
  kind: { kind: "int", meaning: "kind of attribute as the module's metadata numbers it (2 resource group, 3 group member, 4 event …)" },
  args: { kind: "json", meaning: "its arguments, a list of texts" },
} as const;

/**
 * What modules are, stored once however many versions, accounts or snapshots show it. An upgrade usually leaves most
 * functions and structs as they were, so these are shared between ABIs too.
 */
export const contentTables = {
  addresses: {
    name: "addresses",
    meaning: "Account addresses that other tables refer to",
    columns: { id, address: { kind: "text", meaning: "the address as the node prints it (0x1)" } },
    key: ["id"],
    indexes: [{ columns: ["address"], unique: true }],
  },
  modules: {
    name: "modules",
    meaning: "Names of modules that ABIs refer to, whether or not they were ever crawled",
    columns: {
      id,
      address_id: { kind: "int", meaning: "account that holds the module", references: "addresses" },
      name: { kind: "text", meaning: "the module's name" },
    },
    key: ["id"],
    indexes: [{ columns: ["address_id", "name"], unique: true }],
  },
  abis: {
    name: "abis",
    meaning: "Distinct ABIs: functions, structs, friends, dependencies and error codes of a module",
    columns: {
      id,
      digest,
      decoder: { kind: "text", meaning: "what derived it" },
      module_id: { kind: "int", meaning: "the module's own name, as the bytes say it", references: "modules" },
      node_digest: { kind: "bytes", meaning: "SHA-256 of the ABI as JSON text as a 2026 node prints it: the public face" },
    },
    key: ["id"],
    indexes: [{ columns: ["digest", "decoder"], unique: true }],
  },
  bytecodes: {
    name: "bytecodes",
    meaning: "Module bytecode, once per SHA-256",
    columns: {
      id,
      sha256: { kind: "bytes", meaning: "SHA-256 of the plain bytes" },
      size: { kind: "int", meaning: "plain size in bytes" },
      bytecode_version: { kind: "int", meaning: "version of the binary format, null when the bytes do not say", nullable: true },
      code: {
        kind: "bytes",
        meaning:
          "the bytes, compressed with zstd: a frame, or a byte 1, the SHA-256 of an older bytecode and a frame with that as dictionary",
      },
      abi_id: {
        kind: "int",
        meaning: "ABI derived from the bytes, null when they could not be decoded",
        nullable: true,
        references: "abis",
      },
      decoder: { kind: "text", meaning: "what derived the ABI, or failed to" },
      error_code: { kind: "text", meaning: "code of the decoding error", nullable: true },
      error_offset: { kind: "int", meaning: "byte offset of the decoding error", nullable: true },
      error_message: { kind: "text", meaning: "sentence of the decoding error", nullable: true },
    },
    key: ["id"],
    indexes: [{ columns: ["sha256"], unique: true }, { columns: ["abi_id"] }],
  },
  types: {
    name: "types",
    meaning: "Distinct Move types of parameters, returns and fields",
    columns: { id, type: { kind: "text", meaning: "the type as the node prints it" } },
    key: ["id"],
    indexes: [{ columns: ["type"], unique: true }],
  },
  type_structs: {
    name: "type_structs",
    meaning: "Structs that a type mentions, at any depth",
    columns: { type_id: ofType, module_id: ofModule, struct: { kind: "text", meaning: "name of the struct" } },
    key: ["type_id", "module_id", "struct"],
    indexes: [{ columns: ["module_id", "struct"] }],
  },
  functions: {
    name: "functions",
    meaning: "Distinct function definitions",
    columns: {
      id,
      digest,
      name: { kind: "text", meaning: "name of the function" },
      visibility: { kind: "text", meaning: "private, friend or public" },
      is_entry: { kind: "bool", meaning: "can be called directly by a transaction" },
      is_view: { kind: "bool", meaning: "is marked as a view function" },
      is_native: { kind: "bool", meaning: "is implemented by the node" },
      signature: { kind: "text", meaning: "the declaration on one line, as Move writes it" },
      acquires: { kind: "json", meaning: "names of the module's structs whose storage it touches" },
    },
    key: ["id"],
    indexes: [{ columns: ["digest"], unique: true }, { columns: ["name"] }],
  },
  function_params: {
    name: "function_params",
    meaning: "Parameters of functions",
    columns: { function_id: ofFunction, position, type_id: ofType },
    key: ["function_id", "position"],
    indexes: [{ columns: ["type_id"] }],
  },
  function_returns: {
    name: "function_returns",
    meaning: "Return values of functions",
    columns: { function_id: ofFunction, position, type_id: ofType },
    key: ["function_id", "position"],
    indexes: [{ columns: ["type_id"] }],
  },
  function_type_params: {
    name: "function_type_params",
    meaning: "Type parameters of functions",
    columns: { function_id: ofFunction, position, is_phantom: { kind: "bool", meaning: "is phantom; never for functions" }, ...abilities },
    key: ["function_id", "position"],
    indexes: [],
  },
  function_attributes: {
    name: "function_attributes",
    meaning: "Attributes of functions",
    columns: { function_id: ofFunction, position, ...attribute },
    key: ["function_id", "position"],
    indexes: [],
  },
  structs: {
    name: "structs",
    meaning: "Distinct struct and enum definitions",
    columns: {
      id,
      digest,
      name: { kind: "text", meaning: "name of the struct" },
      is_native: { kind: "bool", meaning: "is implemented by the node" },
      is_event: { kind: "bool", meaning: "is marked as an event" },
      is_enum: { kind: "bool", meaning: "is an enum: has variants instead of fields of its own" },
      ...abilities,
    },
    key: ["id"],
    indexes: [{ columns: ["digest"], unique: true }, { columns: ["name"] }],
  },
  struct_type_params: {
    name: "struct_type_params",
    meaning: "Type parameters of structs",
    columns: { struct_id: ofStruct, position, is_phantom: { kind: "bool", meaning: "is phantom" }, ...abilities },
    key: ["struct_id", "position"],
    indexes: [],
  },
  struct_attributes: {
    name: "struct_attributes",
    meaning: "Attributes of structs",
    columns: { struct_id: ofStruct, position, ...attribute },
    key: ["struct_id", "position"],
    indexes: [],
  },
  variants: {
    name: "variants",
    meaning: "Variants of enums",
    columns: { struct_id: ofStruct, position, name: { kind: "text", meaning: "name of the variant" } },
    key: ["struct_id", "position"],
    indexes: [],
  },
  fields: {
    name: "fields",
    meaning: "Fields of structs and of enums' variants",
    columns: {
      struct_id: ofStruct,
      variant: { kind: "int", meaning: "position of the enum's variant, -1 for a struct's own fields" },
      position,
      name: { kind: "text", meaning: "name of the field" },
      type_id: ofType,
    },
    key: ["struct_id", "variant", "position"],
    indexes: [{ columns: ["type_id"] }],
  },
  error_codes: {
    name: "error_codes",
    meaning: "Distinct rows of modules' error maps",
    columns: {
      id,
      code: { kind: "u64", meaning: "the abort code's reason" },
      name: { kind: "text", meaning: "name of the constant" },
      description: { kind: "text", meaning: "its text" },
    },
    key: ["id"],
    indexes: [{ columns: ["code", "name", "description"], unique: true }],
  },
  abi_functions: {
    name: "abi_functions",
    meaning: "Functions of an ABI, in the order of the bytecode",
    columns: { abi_id: ofAbi, position, function_id: ofFunction },
    key: ["abi_id", "position"],
    indexes: [{ columns: ["function_id"] }],
  },
  abi_structs: {
    name: "abi_structs",
    meaning: "Structs of an ABI, in the order of the bytecode",
    columns: { abi_id: ofAbi, position, struct_id: ofStruct },
    key: ["abi_id", "position"],
    indexes: [{ columns: ["struct_id"] }],
  },
  abi_friends: {
    name: "abi_friends",
    meaning: "Friends that a module declares",
    columns: { abi_id: ofAbi, position, module_id: ofModule },
    key: ["abi_id", "position"],
    indexes: [{ columns: ["module_id"] }],
  },
  abi_dependencies: {
    name: "abi_dependencies",
    meaning: "Other modules that a module's bytecode refers to",
    columns: { abi_id: ofAbi, position, module_id: ofModule },
    key: ["abi_id", "position"],
    indexes: [{ columns: ["module_id"] }],
  },
  abi_error_codes: {
    name: "abi_error_codes",
    meaning: "Error map of a module",
    columns: { abi_id: ofAbi, position, error_code_id: { kind: "int", meaning: "the error code", references: "error_codes" } },
    key: ["abi_id", "position"],
    indexes: [],
  },
} as const satisfies Record<string, TableData>;
