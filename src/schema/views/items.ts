import { asText, flag as flagOf, jsonList } from "../sql/functions.ts";
import { type Sql, sql } from "../sql/sql.ts";
import { functions, moduleView, structs } from "./module-view.ts";
import { flag, integer, text } from "./view.ts";

/** The four abilities as columns of a view. */
export const abilities = {
  has_copy: flag("has the ability copy"),
  has_drop: flag("has the ability drop"),
  has_store: flag("has the ability store"),
  has_key: flag("has the ability key"),
};

export const abilityColumns = (alias: Sql): Sql => sql`${alias}.has_copy, ${alias}.has_drop, ${alias}.has_store, ${alias}.has_key`;

const item = { item: text("name of the function or struct"), item_kind: text("function or struct") };
const position = { position: integer("position in the list, from 0") };

/** A part of a list that functions and structs both have. */
const ofFunctions = (values: Sql, table: Sql) => ({
  values: sql`f.name AS item, ${asText(sql`'function'`)} AS item_kind, ${values}`,
  joins: functions(sql`JOIN ${table} x ON x.function_id = l.function_id`),
});
const ofStructs = (values: Sql, table: Sql) => ({
  values: sql`st.name AS item, ${asText(sql`'struct'`)} AS item_kind, ${values}`,
  joins: structs(sql`JOIN ${table} x ON x.struct_id = l.struct_id`),
});

export const typeParamView = moduleView(
  "type_params",
  "Type parameters of functions and structs, with the abilities they require",
  { ...item, ...position, is_phantom: flag("is phantom"), ...abilities },
  ofFunctions(sql`x.position, ${flagOf(sql`FALSE`)} AS is_phantom, ${abilityColumns(sql`x`)}`, sql`_function_type_params`),
  ofStructs(sql`x.position, x.is_phantom, ${abilityColumns(sql`x`)}`, sql`_struct_type_params`),
);

const args = (table: Sql, id: Sql): Sql =>
  asText(jsonList("v.value", sql`${table} v WHERE v.${id} = x.${id} AND v.attribute = x.position`, "v.position"));

export const attributeView = moduleView(
  "attributes",
  "Attributes of functions and structs from the module's metadata: resource groups, events and others",
  {
    ...item,
    ...position,
    kind: integer(
      "kind of attribute: 0 and 1 view, 2 resource group, 3 resource group member, 4 event, 5 randomness; other numbers as found",
    ),
    args: text("its arguments, a JSON list of texts"),
  },
  ofFunctions(sql`x.position, x.kind, ${args(sql`_function_attribute_args`, sql`function_id`)} AS args`, sql`_function_attributes`),
  ofStructs(sql`x.position, x.kind, ${args(sql`_struct_attribute_args`, sql`struct_id`)} AS args`, sql`_struct_attributes`),
);

const used = sql`JOIN _type_structs u ON u.type_id = x.type_id`;
const usedNames = sql`LEFT JOIN _modules um ON um.id = u.module_id LEFT JOIN _addresses ua ON ua.id = um.address_id`;
const uses = (name: Sql, kind: Sql, place: Sql, joins: Sql) => ({
  values: sql`${name} AS item, ${asText(kind)} AS item_kind, ${asText(place)} AS place,
    ua.address AS used_address, um.name AS used_module, u.struct AS used_struct`,
  joins: sql`${joins} ${usedNames}`,
});
const usesOfFunctions = (place: Sql, table: Sql) =>
  uses(sql`f.name`, sql`'function'`, place, functions(sql`JOIN ${table} x ON x.function_id = l.function_id ${used}`));

export const typeUseView = moduleView(
  "type_uses",
  "Structs that functions and structs mention, at any depth of a type",
  {
    ...item,
    place: text("where it is mentioned: params[0], returns[1], fields.NAME or variants.VARIANT.NAME"),
    used_address: text("account that holds the used struct's module"),
    used_module: text("name of that module"),
    used_struct: text("name of the used struct"),
  },
  usesOfFunctions(sql`('params[' || x.position || ']')`, sql`_function_params`),
  usesOfFunctions(sql`('returns[' || x.position || ']')`, sql`_function_returns`),
  uses(
    sql`st.name`,
    sql`'struct'`,
    sql`(CASE WHEN v.name IS NULL THEN 'fields.' ELSE 'variants.' || v.name || '.' END || x.name)`,
    sql`${structs(sql`JOIN _struct_fields x ON x.struct_id = l.struct_id ${used}`)}
          LEFT JOIN _struct_variants v ON v.struct_id = x.struct_id AND v.position = x.variant`,
  ),
);
