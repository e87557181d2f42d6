import { sql } from "../sql/sql.ts";
import { abilities, abilityColumns } from "./items.ts";
import { moduleView, structs } from "./module-view.ts";
import { flag, integer, text } from "./view.ts";

const position = { position: integer("position in the list, from 0") };

export const structView = moduleView(
  "structs",
  "Structs and enums of modules",
  {
    name: text("name of the struct"),
    is_native: flag("is native: implemented by the node"),
    is_event: flag("is marked as an event"),
    is_enum: flag("is an enum"),
    ...abilities,
  },
  { values: sql`st.name, st.is_native, st.is_event, st.is_enum, ${abilityColumns(sql`st`)}`, joins: structs() },
);

/** Their fields and variants. */
export const structPartViews = [
  moduleView(
    "fields",
    "Fields of structs and of enums' variants",
    {
      struct: text("name of the struct"),
      variant: text("name of the enum's variant; null for structs"),
      ...position,
      name: text("name of the field"),
      type: text("the type as the node prints it"),
    },
    {
      values: sql`st.name AS struct, v.name AS variant, x.position, x.name, t.text AS type`,
      joins: sql`${structs(sql`JOIN _struct_fields x ON x.struct_id = l.struct_id`)} LEFT JOIN _types t ON t.id = x.type_id
          LEFT JOIN _struct_variants v ON v.struct_id = x.struct_id AND v.position = x.variant`,
    },
  ),
  moduleView(
    "variants",
    "Variants of enums, empty ones included",
    { struct: text("name of the enum"), ...position, name: text("name of the variant") },
    {
      values: sql`st.name AS struct, x.position, x.name`,
      joins: structs(sql`JOIN _struct_variants x ON x.struct_id = l.struct_id`),
    },
  ),
] as const;
