import type { TableData } from "../table.ts";

const id = { kind: "int", meaning: "number of the row inside this database" } as const;
const ofModule = { kind: "int", meaning: "the module, by the name in its bytes", references: "_modules" } as const;
const otherModule = { kind: "int", meaning: "the other module", references: "_modules" } as const;
const ofAbi = { kind: "int", meaning: "the ABI", references: "_abis" } as const;
const ofFunction = { kind: "int", meaning: "the function", references: "_functions" } as const;
const ofStruct = { kind: "int", meaning: "the struct", references: "_structs" } as const;
const type = { kind: "int", meaning: "the type", references: "_types" } as const;
const position = { kind: "int", meaning: "place in the list, from 0" } as const;
const digest = (of: string) => ({ kind: "bytes", meaning: `first 16 bytes of a SHA-256 over ${of}: equal content is one row` }) as const;
const flag = (meaning: string) => ({ kind: "bool", meaning: `whether it ${meaning}` }) as const;
const abilities = {
  has_copy: flag("has the ability copy"),
  has_drop: flag("has the ability drop"),
  has_store: flag("has the ability store"),
  has_key: flag("has the ability key"),
};
const constraints = {
  has_copy: flag("asks for the ability copy"),
  has_drop: flag("asks for the ability drop"),
  has_store: flag("asks for the ability store"),
  has_key: flag("asks for the ability key"),
};
const byModule = { columns: ["module_id", "digest"], unique: true } as const;

const attributes = <Id extends string, Item extends object>(item: Id, of: Item) => ({
  columns: {
    [item]: of,
    position,
    kind: {
      kind: "int",
      meaning: "what the module's metadata calls it: 0 and 1 view, 2 resource group, 3 resource group member, 4 event, 5 randomness",
    },
  } as { [I in Id]: Item } & { position: typeof position; kind: { kind: "int"; meaning: string } },
  key: [item, "position"],
  indexes: [],
  isDerived: true as const,
});

const attributeArgs = <Id extends string, Item extends object>(item: Id, of: Item) => ({
  columns: {
    [item]: of,
    attribute: { kind: "int", meaning: "place of the attribute in its list, from 0" },
    position,
    value: { kind: "text", meaning: "the argument" },
  } as { [I in Id]: Item } & {
    attribute: { kind: "int"; meaning: string };
    position: typeof position;
    value: { kind: "text"; meaning: string };
  },
  key: [item, "attribute", "position"],
  indexes: [],
  isDerived: true as const,
});

/**
 * What follows from bytecode, and can be derived from it again at any time. A function or struct of a module is one row however many
 * ABIs of that module have it: link tables say which ABI has it at which place. `verify` derives every row again.
 */
export const derivedTables = {
  types: {
    name: "_types",
    meaning: "Types that parameters, results and fields have, each once",
    columns: { id, text: { kind: "text", meaning: "the type as the node prints it" } },
    key: ["id"],
    indexes: [{ columns: ["text"], unique: true, isLong: true }],
    isDerived: true,
  },
  type_structs: {
    name: "_type_structs",
    meaning: "Structs that a type mentions, at any depth",
    columns: {
      type_id: type,
      module_id: { ...otherModule, meaning: "the struct's module" },
      struct: { kind: "text", meaning: "name of the struct" },
    },
    key: ["type_id", "module_id", "struct"],
    indexes: [{ columns: ["struct", "module_id"] }, { columns: ["module_id"] }],
    isDerived: true,
  },
  functions: {
    name: "_functions",
    meaning: "Functions of modules, each definition once",
    columns: {
      id,
      module_id: ofModule,
      digest: digest("all that is said of the function here"),
      name: { kind: "text", meaning: "name of the function" },
      visibility: { kind: "text", meaning: "private, friend or public" },
      is_entry: flag("can be called directly by a transaction"),
      is_view: flag("is a view function"),
      is_native: flag("is implemented by the node"),
      signature: { kind: "text", meaning: "the declaration on one line" },
    },
    key: ["id"],
    indexes: [byModule, { columns: ["name"] }],
    isDerived: true,
  },
  function_type_params: {
    name: "_function_type_params",
    meaning: "Type parameters of functions",
    columns: { function_id: ofFunction, position, ...constraints },
    key: ["function_id", "position"],
    indexes: [],
    isDerived: true,
  },
  function_params: {
    name: "_function_params",
    meaning: "Parameters of functions",
    columns: { function_id: ofFunction, position, type_id: type },
    key: ["function_id", "position"],
    indexes: [{ columns: ["type_id"] }],
    isDerived: true,
  },
  function_returns: {
    name: "_function_returns",
    meaning: "Results of functions",
    // Not in the order of _function_params: DuckDB 1.5 takes tables of a file for one where names and types of their columns are the same in order.
    columns: { function_id: ofFunction, type_id: type, position },
    key: ["function_id", "position"],
    indexes: [{ columns: ["type_id"] }],
    isDerived: true,
  },
  function_acquires: {
    name: "_function_acquires",
    meaning: "Structs of its own module whose storage a function touches",
    columns: { function_id: ofFunction, position, struct: { kind: "text", meaning: "name of the struct" } },
    key: ["function_id", "position"],
    indexes: [],
    isDerived: true,
  },
  function_attributes: {
    name: "_function_attributes",
    meaning: "Attributes of functions, from the module's metadata",
    ...attributes("function_id", ofFunction),
  },
  function_attribute_args: {
    name: "_function_attribute_args",
    meaning: "Arguments of functions' attributes",
    ...attributeArgs("function_id", ofFunction),
  },
  called_functions: {
    name: "_called_functions",
    meaning: "Functions that others call, by name: whether or not their module is stored",
    columns: {
      id,
      module_id: { ...otherModule, meaning: "the module that holds it" },
      name: { kind: "text", meaning: "name of the function" },
    },
    key: ["id"],
    indexes: [{ columns: ["module_id", "name"], unique: true }, { columns: ["name"] }],
    isDerived: true,
  },
  function_calls: {
    name: "_function_calls",
    meaning: "Functions that a function calls, or makes function values of",
    columns: {
      function_id: { ...ofFunction, meaning: "the calling function" },
      called_id: { kind: "int", meaning: "the called function", references: "_called_functions" },
    },
    key: ["function_id", "called_id"],
    indexes: [{ columns: ["called_id"] }],
    isDerived: true,
  },
  structs: {
    name: "_structs",
    meaning: "Structs and enums of modules, each definition once",
    columns: {
      id,
      module_id: ofModule,
      digest: digest("all that is said of the struct here"),
      name: { kind: "text", meaning: "name of the struct" },
      is_native: flag("is implemented by the node"),
      is_event: flag("is marked as an event"),
      is_enum: flag("is an enum: it has variants instead of fields of its own"),
      ...abilities,
    },
    key: ["id"],
    indexes: [byModule, { columns: ["name"] }],
    isDerived: true,
  },
  struct_type_params: {
    name: "_struct_type_params",
    meaning: "Type parameters of structs",
    columns: { struct_id: ofStruct, position, is_phantom: flag("is phantom"), ...constraints },
    key: ["struct_id", "position"],
    indexes: [],
    isDerived: true,
  },
  struct_variants: {
    name: "_struct_variants",
    meaning: "Variants of enums",
    columns: { struct_id: ofStruct, position, name: { kind: "text", meaning: "name of the variant" } },
    key: ["struct_id", "position"],
    indexes: [],
    isDerived: true,
  },
  struct_fields: {
    name: "_struct_fields",
    meaning: "Fields of structs and of enums' variants",
    columns: {
      struct_id: ofStruct,
      place: { kind: "int", meaning: "place among all fields of the struct, from 0" },
      variant: { kind: "int", meaning: "place of the enum's variant that has the field, null for structs", nullable: true },
      position: { kind: "int", meaning: "place in the struct, or in the variant, from 0" },
      name: { kind: "text", meaning: "name of the field" },
      type_id: type,
    },
    key: ["struct_id", "place"],
    indexes: [{ columns: ["type_id"] }, { columns: ["name"] }],
    isDerived: true,
  },
  struct_attributes: {
    name: "_struct_attributes",
    meaning: "Attributes of structs, from the module's metadata",
    ...attributes("struct_id", ofStruct),
  },
  struct_attribute_args: {
    name: "_struct_attribute_args",
    meaning: "Arguments of structs' attributes",
    ...attributeArgs("struct_id", ofStruct),
  },
  error_codes: {
    name: "_error_codes",
    meaning: "What abort codes mean: reasons with the names of their constants, each once",
    columns: {
      id,
      code: { kind: "u64", meaning: "the reason" },
      name: { kind: "text", meaning: "name of the constant" },
      description: { kind: "text", meaning: "its text" },
    },
    key: ["id"],
    indexes: [{ columns: ["name"], isSought: true }],
    isDerived: true,
  },
  error_maps: {
    name: "_error_maps",
    meaning: "Error maps, each once: versions and copies of a module have the same",
    columns: { id, digest: digest("its codes, names and descriptions") },
    key: ["id"],
    indexes: [{ columns: ["digest"], unique: true }],
    isDerived: true,
  },
  error_map_codes: {
    name: "_error_map_codes",
    meaning: "The codes of an error map",
    columns: {
      error_map_id: { kind: "int", meaning: "the error map", references: "_error_maps" },
      position,
      error_code_id: { kind: "int", meaning: "the code", references: "_error_codes" },
    },
    key: ["error_map_id", "position"],
    indexes: [{ columns: ["error_code_id"] }],
    isDerived: true,
  },
  abis: {
    name: "_abis",
    meaning: "ABIs of modules, each once however many bytecodes have it",
    columns: {
      id,
      module_id: ofModule,
      digest: digest("its functions, structs, errors, friends and dependencies"),
      face_digest: { kind: "bytes", meaning: "SHA-256 of what a 2026 node prints of it: equal exactly when that is equal" },
      error_map_id: { kind: "int", meaning: "its error map, null when it has none", nullable: true, references: "_error_maps" },
      has_calls: flag("has all calls of its functions in the database: not those that a node told of, nor of modules with too many"),
    },
    key: ["id"],
    indexes: [byModule, { columns: ["error_map_id"] }],
    isDerived: true,
  },
  abi_functions: {
    name: "_abi_functions",
    meaning: "Functions of an ABI, in the order of the bytecode",
    columns: { abi_id: ofAbi, position, function_id: ofFunction },
    key: ["abi_id", "position"],
    indexes: [{ columns: ["function_id"] }],
    isDerived: true,
  },
  abi_structs: {
    name: "_abi_structs",
    meaning: "Structs of an ABI, in the order of the bytecode",
    columns: { abi_id: ofAbi, position, struct_id: ofStruct },
    key: ["abi_id", "position"],
    indexes: [{ columns: ["struct_id"] }],
    isDerived: true,
  },
  abi_friends: {
    name: "_abi_friends",
    meaning: "Friends that a module declares",
    columns: { abi_id: ofAbi, position, module_id: otherModule },
    key: ["abi_id", "position"],
    indexes: [{ columns: ["module_id"] }],
    isDerived: true,
  },
  abi_dependencies: {
    name: "_abi_dependencies",
    meaning: "Other modules that a module's bytecode refers to",
    // Not in the order of _abi_friends, for the same reason.
    columns: { abi_id: ofAbi, module_id: otherModule, position },
    key: ["abi_id", "position"],
    indexes: [{ columns: ["module_id"] }],
    isDerived: true,
  },
} as const satisfies Record<string, TableData>;
