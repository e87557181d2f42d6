import { sql } from "../sql/sql.ts";
import { structTables } from "../tables/item-rows.ts";
import { moduleView, sameVariant, structs, structThen } from "./state-views.ts";
import { columnsOf, flag, text } from "./view.ts";

export const abilityColumns = columnsOf(structTables.structs, "has_copy", "has_drop", "has_store", "has_key");

export const structColumns = {
  ...columnsOf(structTables.structs, "name", "is_native", "is_event"),
  is_enum: flag("is an enum"),
  ...abilityColumns,
  struct: text("name of the struct or enum, as in name", "st.name"),
};

export const structView = moduleView("structs", "Structs and enums of modules", structColumns, {
  of: "st",
  joins: structs(),
  same: structThen(sql`AND nt.is_native = st.is_native AND nt.is_event = st.is_event AND nt.is_enum = st.is_enum
    AND nt.has_copy = st.has_copy AND nt.has_drop = st.has_drop AND nt.has_store = st.has_store AND nt.has_key = st.has_key`),
});

/** Their fields and variants. */
export const structPartViews = [
  moduleView(
    "fields",
    "Fields of structs and of enums' variants",
    {
      struct: text("name of the struct", "st.name"),
      variant: text("name of the enum's variant; null for structs", "v.name"),
      ...columnsOf(structTables.struct_variants, "position"),
      ...columnsOf(structTables.struct_fields, "name"),
      type: text("the type as the node prints it", "t.text"),
      field: text("name of the field, as in name", "x.name"),
    },
    {
      of: "x",
      joins: sql`${structs(sql`JOIN _struct_fields x ON x.struct_id = l.struct_id`)} LEFT JOIN _types t ON t.id = x.type_id
          LEFT JOIN _struct_variants v ON v.struct_id = x.struct_id AND v.position = x.variant`,
      same: structThen(
        sql`JOIN _struct_fields nx ON nx.struct_id = nt.id AND nx.name = x.name AND nx.position = x.position AND nx.type_id = x.type_id ${sameVariant}`,
      ),
    },
  ),
  moduleView(
    "variants",
    "Variants of enums, empty ones included",
    { struct: text("name of the enum", "st.name"), ...columnsOf(structTables.struct_variants, "position", "name") },
    {
      of: "x",
      joins: structs(sql`JOIN _struct_variants x ON x.struct_id = l.struct_id`),
      same: structThen(sql`JOIN _struct_variants nx ON nx.struct_id = nt.id AND nx.position = x.position AND nx.name = x.name`),
    },
  ),
] as const;
