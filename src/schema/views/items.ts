import { asText, flag as flagOf, jsonList } from "../sql/functions.ts";
import { type Expression, type Sql, sql } from "../sql/sql.ts";
import { structTables } from "../tables/item-rows.ts";
import { functions, functionThen, moduleView, sameVariant, structs, structThen } from "./state-views.ts";
import { abilityColumns } from "./structs.ts";
import { columnsOf, integer, longAddress, text } from "./view.ts";

const item = { item: text("name of the function or struct"), item_kind: text("function or struct") };
const position = columnsOf(structTables.struct_type_params, "position");
const ofFunction = { item: "f.name", item_kind: asText(sql`'function'`) };
const ofStruct = { item: "st.name", item_kind: asText(sql`'struct'`) };

/** A part of a list that functions and structs both have. */
const ofFunctions = (table: Sql, terms: Readonly<Record<string, Expression>>, same: Sql) => ({
  of: "x",
  terms: () => ({ ...ofFunction, ...terms }),
  joins: functions(sql`JOIN ${table} x ON x.function_id = l.function_id`),
  same: functionThen(sql`JOIN ${table} nx ON nx.function_id = nf.id AND nx.position = x.position AND ${same}`),
});
const ofStructs = (table: Sql, terms: Readonly<Record<string, Expression>>, same: Sql) => ({
  of: "x",
  terms: () => ({ ...ofStruct, ...terms }),
  joins: structs(sql`JOIN ${table} x ON x.struct_id = l.struct_id`),
  same: structThen(sql`JOIN ${table} nx ON nx.struct_id = nt.id AND nx.position = x.position AND ${same}`),
});

const sameAbilities = sql`nx.has_copy = x.has_copy AND nx.has_drop = x.has_drop AND nx.has_store = x.has_store AND nx.has_key = x.has_key`;

export const typeParamView = moduleView(
  "type_params",
  "Type parameters of functions and structs, with the abilities they require",
  { ...item, ...position, ...columnsOf(structTables.struct_type_params, "is_phantom"), ...abilityColumns },
  ofFunctions(sql`_function_type_params`, { is_phantom: flagOf(sql`FALSE`) }, sameAbilities),
  ofStructs(sql`_struct_type_params`, {}, sql`nx.is_phantom = x.is_phantom AND ${sameAbilities}`),
);

const args = (table: Sql, id: Sql, of = sql`x`): Sql =>
  asText(jsonList("v.value", sql`${table} v WHERE v.${id} = ${of}.${id} AND v.attribute = ${of}.position`, "v.position"));
const attribute = (table: Sql, id: Sql) =>
  [{ args: args(table, id) }, sql`nx.kind = x.kind AND ${args(table, id, sql`nx`)} = ${args(table, id)}`] as const;

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
  ofFunctions(sql`_function_attributes`, ...attribute(sql`_function_attribute_args`, sql`function_id`)),
  ofStructs(sql`_struct_attributes`, ...attribute(sql`_struct_attribute_args`, sql`struct_id`)),
);

const used = sql`JOIN _type_structs u ON u.type_id = x.type_id`;
const sameUse = sql`JOIN _type_structs nu ON nu.type_id = nx.type_id AND nu.module_id = u.module_id AND nu.struct = u.struct`;
const usedNames = sql`LEFT JOIN _modules um ON um.id = u.module_id LEFT JOIN _addresses ua ON ua.id = um.address_id`;
const usesOfFunctions = (place: Sql, table: Sql) => ({
  of: "u",
  terms: () => ({ ...ofFunction, place: asText(place) }),
  joins: sql`${functions(sql`JOIN ${table} x ON x.function_id = l.function_id ${used}`)} ${usedNames}`,
  same: functionThen(sql`JOIN ${table} nx ON nx.function_id = nf.id AND nx.position = x.position ${sameUse}`),
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
    used_address_long: text("used_address as 0x and 64 digits", longAddress("ua.address")),
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
    same: structThen(sql`JOIN _struct_fields nx ON nx.struct_id = nt.id AND nx.name = x.name ${sameVariant} ${sameUse}`),
  },
);
