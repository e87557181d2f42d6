import { flag, int, orNull, text } from "../column.ts";
import { tablesOf } from "../table.ts";
import {
  abilities,
  attributeArgs,
  attributes,
  byModule,
  constraints,
  digest,
  id,
  ofModule,
  ofStruct,
  position,
  typeOf,
} from "./columns.ts";

export const structTables = tablesOf({
  structs: {
    meaning: "Structs and enums of modules, each definition stored once",
    columns: {
      id,
      module_id: ofModule,
      digest: digest("all that is said of the struct here"),
      name: text("name of the struct"),
      is_native: flag("is native: implemented by the node"),
      is_event: flag("is marked as an event"),
      is_enum: flag("is an enum: it has variants instead of fields of its own"),
      ...abilities,
    },
    indexes: [byModule, { columns: ["name", "module_id"] }],
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
    indexes: [{ columns: ["type_id"] }, { columns: ["name"] }],
  },
  struct_attributes: {
    meaning: "Attributes of structs, from the module's metadata",
    ...attributes("struct_id", ofStruct),
  },
  struct_attribute_args: {
    meaning: "Arguments of structs' attributes",
    ...attributeArgs("struct_id", ofStruct),
  },
});
