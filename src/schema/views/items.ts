import { asText, flag as flagOf, jsonList } from "../sql/functions.ts";
import { type Expression, type Sql, sql } from "../sql/sql.ts";
import { structTables } from "../tables/item-rows.ts";
import { functions, moduleView, structs } from "./state-views.ts";
import { abilityColumns } from "./structs.ts";
import { columnsOf, integer, text } from "./view.ts";

const item = { item: text("name of the function or struct"), item_kind: text("function or struct") };
const position = columnsOf(structTables.struct_type_params, "position");
const ofFunction = { item: "f.name", item_kind: asText(sql`'function'`) };
const ofStruct = { item: "st.name", item_kind: asText(sql`'struct'`) };

/** A part of a list that functions and structs both have. */
const ofFunctions = (table: Sql, terms: Readonly<Record<string, Expression>>) => ({
  of: "x",
  terms: () => ({ ...ofFunction, ...terms }),
  joins: functions(sql`JOIN ${table} x ON x.function_id = l.function_id`),
});
const ofStructs = (table: Sql, terms: Readonly<Record<string, Expression>>) => ({
  of: "x",
  terms: () => ({ ...ofStruct, ...terms }),
  joins: structs(sql`JOIN ${table} x ON x.struct_id = l.struct_id`),
});

export const typeParamView = moduleView(
  "type_params",
  "Type parameters of functions and structs, with the abilities they require",
  { ...item, ...position, ...columnsOf(structTables.struct_type_params, "is_phantom"), ...abilityColumns },
  ofFunctions(sql`_function_type_params`, { is_phantom: flagOf(sql`FALSE`) }),
  ofStructs(sql`_struct_type_params`, {}),
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
  ofFunctions(sql`_function_attributes`, { args: args(sql`_function_attribute_args`, sql`function_id`) }),
  ofStructs(sql`_struct_attributes`, { args: args(sql`_struct_attribute_args`, sql`struct_id`) }),
);

const used = sql`JOIN _type_structs u ON u.type_id = x.type_id`;
const usedNames = sql`LEFT JOIN _modules um ON um.id = u.module_id LEFT JOIN _addresses ua ON ua.id = um.address_id`;
const usesOfFunctions = (place: Sql, table: Sql) => ({
  of: "u",
  terms: () => ({ ...ofFunction, place: asText(place) }),
  joins: sql`${functions(sql`JOIN ${table} x ON x.function_id = l.function_id ${used}`)} ${usedNames}`,
});

export const typeUseView = moduleView(
  "type_uses",
  "Structs that functions and structs mention, at any depth of a type",
  {
    ...item,
    place: text("where it is mentioned: params[0], returns[1], fields.NAME or variants.VARIANT.NAME"),
    used_address: text("account that holds the used struct's module", "ua.address"),
    used_module: text("name of that module", "um.name"),
    used_struct: text("name of the used struct", "u.struct"),
  },
  usesOfFunctions(sql`('params[' || x.position || ']')`, sql`_function_params`),
  usesOfFunctions(sql`('returns[' || x.position || ']')`, sql`_function_returns`),
  {
    of: "u",
    terms: () => ({
      ...ofStruct,
      place: asText(sql`(CASE WHEN v.name IS NULL THEN 'fields.' ELSE 'variants.' || v.name || '.' END || x.name)`),
    }),
    joins: sql`${structs(sql`JOIN _struct_fields x ON x.struct_id = l.struct_id ${used}`)}
          LEFT JOIN _struct_variants v ON v.struct_id = x.struct_id AND v.position = x.variant ${usedNames}`,
  },
);
