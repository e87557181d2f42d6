import {
  abilities,
  attributeArgs,
  attributes,
  constraints,
  flag,
  id,
  int,
  ofFunction,
  ofModule,
  ofStruct,
  orNull,
  otherModule,
  position,
  reference,
  text,
  typeOf,
} from "../column.ts";
import { tablesOf } from "../table.ts";

export const functionTables = tablesOf({
  signatures: {
    meaning: "Declarations of functions on one line, each stored once",
    columns: { id, declaration: text("the text; in it ! stands for the function's name, and ~ for its module's address and ::") },
    indexes: [{ columns: ["declaration"], unique: true, isLong: true }],
  },
  signature_type_params: {
    meaning: "Type parameters of declarations",
    columns: { signature_id: reference("_signatures", "the declaration"), position, ...constraints },
    key: ["signature_id", "position"],
  },
  functions: {
    meaning: "Functions of modules, each definition stored once",
    columns: {
      id,
      module_id: ofModule,
      name: text("name of the function"),
      visibility: text("private, friend or public"),
      is_entry: flag("can be called directly by a transaction"),
      is_view: flag("is a view function"),
      is_native: flag("is native: implemented by the node"),
      signature_id: reference("_signatures", "its declaration"),
    },
    indexes: [{ columns: ["name", "module_id"] }],
  },
  function_params: {
    meaning: "Parameters of functions",
    columns: { function_id: ofFunction, position, type_id: typeOf },
    key: ["function_id", "position"],
    indexes: [{ columns: ["type_id"] }],
  },
  function_returns: {
    meaning: "Results of functions",
    // Not the column order of _function_params: DuckDB 1.5 confuses tables of a file whose columns have the same names, types and order.
    // The columns of the key come first: where they do not, integrity_check of SQLite 3.40 reports NULL values that are not there.
    columns: { position, function_id: ofFunction, type_id: typeOf },
    key: ["function_id", "position"],
    indexes: [{ columns: ["type_id"] }],
  },
  function_acquires: {
    meaning: "Structs of its own module whose storage a function accesses",
    columns: { function_id: ofFunction, position, struct: text("name of the struct") },
    key: ["function_id", "position"],
  },
  function_attributes: {
    meaning: "Attributes of functions, from the module's metadata",
    ...attributes("function_id", ofFunction),
  },
  function_attribute_args: {
    meaning: "Arguments of functions' attributes",
    ...attributeArgs("function_id", ofFunction, "_function_attributes"),
  },
  called_functions: {
    meaning: "Functions that others call, by name, whether or not their module is stored",
    columns: {
      id,
      module_id: { ...otherModule, meaning: "the module that holds it" },
      name: text("name of the function"),
    },
    indexes: [{ columns: ["module_id", "name"], unique: true }, { columns: ["name"] }],
  },
  function_calls: {
    meaning: "Functions that a function calls, or makes function values of",
    columns: {
      function_id: { ...ofFunction, meaning: "the calling function" },
      called_id: reference("_called_functions", "the called function"),
    },
    key: ["function_id", "called_id"],
    indexes: [{ columns: ["called_id"] }],
  },
});

export const structTables = tablesOf({
  structs: {
    meaning: "Structs and enums of modules, each definition stored once",
    columns: {
      id,
      module_id: ofModule,
      name: text("name of the struct"),
      is_native: flag("is native: implemented by the node"),
      is_event: flag("is marked as an event"),
      is_enum: flag("is an enum: it has variants instead of fields of its own"),
      ...abilities,
    },
    indexes: [{ columns: ["name", "module_id"] }],
  },
  struct_type_params: {
    meaning: "Type parameters of structs",
    columns: { struct_id: ofStruct, position, is_phantom: flag("is phantom"), ...constraints },
    key: ["struct_id", "position"],
  },
  struct_variants: {
    meaning: "Variants of enums",
    columns: { struct_id: ofStruct, position, name: text("name of the variant") },
    key: ["struct_id", "position"],
  },
  struct_fields: {
    meaning: "Fields of structs and of enums' variants",
    columns: {
      struct_id: ofStruct,
      place: int("position among all fields of the struct, from 0"),
      variant: orNull(int("position of the enum's variant that has the field; null for structs")),
      position: int("position in the struct or variant, from 0"),
      name: text("name of the field"),
      type_id: typeOf,
    },
    key: ["struct_id", "place"],
    references: [{ columns: ["struct_id", "variant"], parent: "_struct_variants" }],
    indexes: [{ columns: ["type_id"] }, { columns: ["name"] }],
  },
  struct_attributes: {
    meaning: "Attributes of structs, from the module's metadata",
    ...attributes("struct_id", ofStruct),
  },
  struct_attribute_args: {
    meaning: "Arguments of structs' attributes",
    ...attributeArgs("struct_id", ofStruct, "_struct_attributes"),
  },
});
